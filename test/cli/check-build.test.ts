import { existsSync } from "node:fs";
import { checkBuild } from "../../packages/cli/src/check/check-build.ts";
import { defaultRelease } from "@tritype/triton";
import { expect, test } from "vitest";
import { runIn } from "./check-fixture.ts";
import { pipelineSource, project } from "./small-project.ts";

test("build refuses what Triton would refuse in the author's fields, and shows what they became", async () => {
  const small = project();
  small.write(
    "pipeline.ts",
    pipelineSource.replace(
      '  file: "models/double.onnx",',
      '  file: "models/double.onnx",\n  parameters: { enable_mem_arena: "maybe" },',
    ),
  );
  const { code, err } = await runIn(small.root, "build");
  expect(code).toBe(1);
  expect(err).toMatch(/^error\[backend\/onnx-[\w-]+\]: .*maybe/);
  expect(err).toContain("┌─ double/config.pbtxt:");
  expect(err).toContain("Triton would refuse the build; nothing was written\n");
  expect(existsSync(small.path("build"))).toBe(false);
  expect((await runIn(small.root, "build", "--check")).code).toBe(1);
});

test("a fragment that replaces what the compiler wrote", async () => {
  const small = project();
  small.write(
    "pipeline.ts",
    pipelineSource.replace(
      '  file: "models/double.onnx",',
      '  file: "models/double.onnx",\n  raw: \'platform: "tensorrt_plan"\',',
    ),
  );
  const { code, err } = await runIn(small.root, "build");
  expect(code).toBe(1);
  expect(err).toContain("= note: the compiler wrote this: unless a `raw` fragment replaced it");
});

const text = (config: string) =>
  new Map([
    ["manifest.json", { kind: "text", text: "{}" } as const],
    ["model_repository/a/config.pbtxt", { kind: "text", text: config } as const],
    ["model_repository/a/1/model.py", { kind: "text", text: "" } as const],
  ]);

test("what the compiler makes itself and Triton refuses is our bug", () => {
  const { authors, ours } = checkBuild(text('name: "b"\nbackend: "python"\n'), defaultRelease);
  expect(ours.map(({ code }) => code)).toContain("config/folder-name");
  expect(authors).toEqual([]);
});

test("a field of the author's is the author's, wherever in it the mistake is", () => {
  const { authors } = checkBuild(
    text(
      'name: "a"\nbackend: "python"\ninstance_group [\n  {\n    kind: KIND_CPU\n    gpus: [ 0 ]\n  }\n]\n',
    ),
    defaultRelease,
  );
  expect(authors.map(({ labels }) => labels[0]?.span.file)).toContain("a/config.pbtxt");
});
