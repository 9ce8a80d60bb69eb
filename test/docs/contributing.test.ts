import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../../CONTRIBUTING.md"), "utf8");

test("the table of test projects lists the patterns of vitest.config.ts, in its order", async () => {
  vi.stubEnv("TRITYPE_CLUSTER", "1");
  const { default: config } = await import("../../vitest.config.ts");
  vi.unstubAllEnvs();
  const rows = [...text.matchAll(/^\| `(\w+)` \|[^|]*\|([^|]*)\|/gm)].map(([, name, files = ""]) => [
    name,
    [...files.matchAll(/`([^`]*\/[^`]*)`/g)].map(([, pattern = ""]) =>
      pattern.replace(/\*\*$/, "**/*.test.ts"),
    ),
  ]);
  const projects = (config.test?.projects ?? []).map((project) => {
    const { test: options } = project as {
      readonly test?: { readonly name: string; readonly include: readonly string[] };
    };
    return [options?.name, options?.include];
  });
  expect(rows).toEqual(projects);
});
