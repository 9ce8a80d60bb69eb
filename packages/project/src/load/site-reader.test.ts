import { expect, test } from "vitest";
import { createSiteReader } from "./site-reader.ts";

test("parses each frame once, and keeps the frames in the user's files, innermost first", () => {
  const parsed: string[] = [];
  const siteOf = createSiteReader(
    (path) => {
      parsed.push(path);
      return path.startsWith("/project/") ? path.slice("/project/".length) : undefined;
    },
    (stack) => stack.replace("/bundle.mjs:1:", "/project/pipeline.ts:7:").split("\n    at outer", 1).join(),
  );
  const around =
    "    at run (/dsl/ensemble.js:9:1)\n    at /project/lib.ts:3:4\n    at outer (/project/test.ts:1:1)";
  const lib = { file: "lib.ts", line: 3, column: 4 };
  expect(siteOf({ stack: `Error\n    at f (/bundle.mjs:1:5)\n${around}` })).toEqual([
    { file: "pipeline.ts", line: 7, column: 5 },
    lib,
  ]);
  expect(siteOf({ stack: `Error\n    at g (/bundle.mjs:1:6)\n${around}` })).toEqual([
    { file: "pipeline.ts", line: 7, column: 6 },
    lib,
  ]);
  expect(siteOf({})).toEqual([]);
  expect(parsed).toEqual([
    "/project/pipeline.ts",
    "/dsl/ensemble.js",
    "/project/lib.ts",
    "/project/pipeline.ts",
  ]);
});
