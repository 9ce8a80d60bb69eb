import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { mapBeside, mapStack } from "./map-stack.ts";

test("stack frames point to the sources in the map next to a file; other frames stay the same", () => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-map-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, map } = transformSync(
    "interface Only {\n  types: 1;\n}\nexport const f = (): never => {\n  throw new Error();\n};\n",
    { loader: "ts", sourcefile: "src (1)/fail.ts", sourcemap: "external" },
  );
  writeFileSync(join(folder, "fail.js"), code);
  writeFileSync(join(folder, "fail.js.map"), map);
  const file = pathToFileURL(join(folder, "fail.js")).href;
  const source = pathToFileURL(join(folder, "src (1)/fail.ts"))
    .href.replaceAll("(", "%28")
    .replaceAll(")", "%29");
  expect(
    mapStack(
      `Error\n    at f (${file}:2:9)\n    at ${join(folder, "fail.js")}:2:9\n    at /absent.js:1:2`,
      mapBeside,
    ),
  ).toBe(`Error\n    at f (${source}:5:9)\n    at ${source}:5:9\n    at /absent.js:1:2`);
});
