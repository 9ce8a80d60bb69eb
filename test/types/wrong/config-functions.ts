// a version of Node that functions cannot run on
import { defineConfig } from "tritype";

export default defineConfig({ functions: { engine: "node", node: 20 } });
