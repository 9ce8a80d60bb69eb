import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const script = `${root}packages/node-host/scripts/make-host.mjs`;
const { emittedModule, makeHost, printModule } = (await import(/* @vite-ignore */ script)) as {
  readonly emittedModule: string;
  readonly makeHost: () => Promise<string>;
  readonly printModule: (text: string) => string;
};

test("the host that builds emit is made from the package's sources (after a change: node packages/node-host/scripts/make-host.mjs)", async () => {
  expect(readFileSync(emittedModule, "utf8")).toBe(printModule(await makeHost()));
});
