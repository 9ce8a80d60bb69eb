import { defineConfig } from "vitest/config";

// The first request of a test file compiles the pipeline and loads its models.
export default defineConfig({ test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 } });
