import { expect, test } from "vitest";
import { createSiteReader } from "./site-reader.ts";

test("maps each frame once, and keeps the frames in the user's files, innermost first", () => {
  const mapped: string[] = [];
  const siteOf = createSiteReader(
    (path) => (path.startsWith("/project/") ? path.slice("/project/".length) : undefined),
    (frame) => {
      mapped.push(frame.trim());
      return frame.replace("/bundle.mjs:1:", "/project/pipeline.ts:7:");
    },
  );
  const outer = "    at run (/dsl/ensemble.js:9:1)\n    at /project/lib.ts:3:4";
  const lib = { file: "lib.ts", line: 3, column: 4 };
  expect(siteOf({ stack: `Error\n    at f (/bundle.mjs:1:5)\n${outer}` })).toEqual([
    { file: "pipeline.ts", line: 7, column: 5 },
    lib,
  ]);
  expect(siteOf({ stack: `Error\n    at g (/bundle.mjs:1:6)\n${outer}` })).toEqual([
    { file: "pipeline.ts", line: 7, column: 6 },
    lib,
  ]);
  expect(siteOf({})).toEqual([]);
  expect(mapped).toEqual([
    "Error",
    "at f (/bundle.mjs:1:5)",
    "at run (/dsl/ensemble.js:9:1)",
    "at /project/lib.ts:3:4",
    "at g (/bundle.mjs:1:6)",
    "",
  ]);
});
