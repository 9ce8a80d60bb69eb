import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagnosticCodes } from "./diagnostic-codes.ts";
import { errorCatalogs } from "./reference/error-catalogs.ts";

const packages = join(import.meta.dirname, "../../packages");
const sources = readdirSync(packages, { recursive: true, withFileTypes: true })
  .filter(({ name, parentPath }) => /\/src(\/|$)/.test(parentPath) && /(?<!\.test|\.fixture)\.ts$/.test(name))
  .filter(({ parentPath }) => !/node_modules|generated/.test(parentPath))
  .map(({ name, parentPath }) => ({
    path: join(parentPath, name),
    text: readFileSync(join(parentPath, name), "utf8"),
  }));
const reasons = errorCatalogs.flatMap((catalog) => Object.keys(catalog));

test("every error that is thrown is in a catalog, or quotes another program's message", () => {
  const adHoc = sources.filter(({ text }) => /\bnew PipelineError\(/.test(text));
  expect(adHoc.map(({ path }) => path)).toEqual([join(packages, "core/src/error.ts")]);
});

test("a reason is in one catalog, is thrown, and is not a diagnostic's code", () => {
  expect(reasons.length).toBeGreaterThan(100);
  expect(reasons.filter((reason, i) => reasons.indexOf(reason) < i)).toEqual([]);
  expect(reasons.filter((reason) => diagnosticCodes.includes(reason))).toEqual([]);
  const throwing = sources.filter(({ path }) => !path.endsWith("/errors.ts")).map(({ text }) => text);
  expect(reasons.filter((reason) => !throwing.some((text) => text.includes(`"${reason}"`)))).toEqual([]);
});
