import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../../packages/generation/scripts/make-emitted.mjs", import.meta.url));
const { emittedModule, printModule } = (await import(/* @vite-ignore */ script)) as {
  readonly emittedModule: string;
  readonly printModule: () => string;
};

test("the loop that builds emit is the package's Python (after a change: node packages/generation/scripts/make-emitted.mjs)", () => {
  expect(readFileSync(emittedModule, "utf8")).toBe(printModule());
});
