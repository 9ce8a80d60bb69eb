import { defineConfig } from "tritype";

export default defineConfig({ entries: ["pipeline.ts"], output: "build", target: "24.10" });
