// Misspelt field of pipeline.config.ts
import { defineConfig } from "tritype";

export const wrong = defineConfig({ entry: ["pipeline.ts"] });
