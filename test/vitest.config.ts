import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));
const conditions = ["@tritype/source"];
process.env["TRITYPE_CACHE"] ??= `${root}.cache`;

export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "examples/*/test/**/*.test.ts"],
    globalSetup: ["test/environment/global-setup.ts"],
    pool: "forks",
    // One worker a core: most tests wait for a child, a server or the disk.
    maxWorkers: availableParallelism(),
    // Only ends tests that hang: a loaded machine takes many times as long as an idle one.
    testTimeout: 90_000,
    // Hooks build projects and start servers, on machines with more to do.
    hookTimeout: 60_000,
    // What is polled for comes at some time; on a loaded machine not within the second that is the default.
    expect: { poll: { timeout: 20_000 } },
    // Tests that start and kill processes share two cores with the rest; the report names those that needed the second try.
    retry: process.env["CI"] === undefined ? 0 : 1,
    env: { TRITYPE_CACHE: process.env["TRITYPE_CACHE"] },
  },
});
