import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { project } from "../cli/small-project.ts";

const refusal = (path: string): string =>
  [
    `error[file/foreign]: <root>/${path} already exists and was not written by a tritype build`,
    "  = help: move it away, rename the step, or build into another folder (`output` in pipeline.config.ts)",
    "",
  ].join("\n");

test("the build reports a file at the path of the client's folder and leaves everything unchanged", async () => {
  const small = project();
  mkdirSync(small.path("build"));
  writeFileSync(small.path("build/client"), "mine");
  const refused = await pipeline(small, ["build"]);
  expect([refused.code, refused.err.replaceAll(small.root, "<root>")]).toEqual([2, refusal("build/client")]);
  rmSync(small.path("build/client"));
  expect((await pipeline(small, ["build"])).code).toBe(0);
});

test("a client that the build did not write is never overwritten", async () => {
  const small = project();
  mkdirSync(small.path("build/client/core"), { recursive: true });
  writeFileSync(small.path("build/client/core/kserve.js"), "mine");
  const refused = await pipeline(small, ["build"]);
  expect([refused.code, refused.err.replaceAll(small.root, "<root>")]).toEqual([
    2,
    refusal("build/client/core/kserve.js"),
  ]);
});
