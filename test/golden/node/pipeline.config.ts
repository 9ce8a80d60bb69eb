import { defineConfig } from "tritype";

export default defineConfig({ functions: { engine: "node", node: 22 } });
