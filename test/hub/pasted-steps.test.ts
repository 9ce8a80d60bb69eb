import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dim, DType } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { encoderModel } from "../fixtures/models.ts";
import { diagnosticsOf, messageOf, programOf } from "../types/type-check.ts";
import { type AddProject, addProject } from "./add-project.ts";
import { e5Repository } from "./e5.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tokenizer = e5Repository.files["onnx/tokenizer.json"] ?? "";

type Ports = Readonly<Record<string, readonly [DType, ...Dim[]]>>;

/** A model that sums its inputs, as floats. */
const sumOf = (inputs: Ports, output: readonly Dim[]): Uint8Array =>
  buildModel(
    {
      name: "sum",
      inputs: Object.entries(inputs).map(([name, [dtype, ...dims]]) => ({ name, type: { dtype, dims } })),
      outputs: [{ name: "sum", type: { dtype: "FP32", dims: output } }],
    },
    (builder) => ({
      sum: Object.keys(inputs)
        .map((name) => builder.node("Cast", [name], { to: { int: 1 } })[0] ?? "")
        .reduce((a, b) => builder.node("Add", [a, b])[0] ?? ""),
    }),
  );

const models: Readonly<Record<string, Uint8Array>> = {
  "ids and mask": encoderModel(),
  "with segments": encoderModel({ segments: true }),
  "int32 ids": sumOf({ input_ids: ["INT32", "batch", "seq"], attention_mask: ["INT32", "batch", "seq"] }, [
    "batch",
    "seq",
  ]),
  "a fixed length": sumOf({ input_ids: ["INT64", "batch", 16], attention_mask: ["INT64", "batch", 16] }, [
    "batch",
    16,
  ]),
  "positions too": sumOf(
    { input_ids: ["INT64", "batch", "seq"], "position.ids": ["INT64", "batch", "seq"] },
    ["batch", "seq"],
  ),
  "a task beside the ids": sumOf({ input_ids: ["INT64", "batch", "seq"], "task.id": ["INT64", "batch", 1] }, [
    "batch",
    "seq",
  ]),
  "names that exporters invent": sumOf({ input_ids: ["INT64", "unk__1", "unk__2"] }, ["unk__1", "unk__2"]),
  "one text only": sumOf({ input_ids: ["INT64", 1, "seq"] }, [1, "seq"]),
  "a state across the rows": sumOf({ frame: ["FP32", "batch", 4], state: ["FP32", 2, "batch", 4] }, [
    2,
    "batch",
    4,
  ]),
  pixels: sumOf({ pixel_values: ["FP32", "batch", 3, 8, 8] }, ["batch", 3, 8, 8]),
};

test("the output compiles unchanged for any inputs of the model", async () => {
  const projects: [string, AddProject, string][] = [];
  for (const [name, model] of Object.entries(models)) {
    const project = addProject(undefined, {
      "exports/m/model.onnx": model,
      "exports/m/tokenizer.json": tokenizer,
    });
    const { code, out, err } = await project.pipeline(["add", "exports/m"]);
    expect(code, err).toBe(0);
    project.write("pipeline.ts", out);
    const built = await project.pipeline(["build"]);
    expect(built.code, `${name}\n${out}\n${built.err}`).toBe(0);
    projects.push([name, project, out]);
  }
  const files = projects.map(([, project]) => relative(root, project.path("pipeline.ts")));
  const program = programOf(files);
  const problems = files.flatMap((file) =>
    diagnosticsOf(program, file).map((found) => `${file}: ${messageOf(found)}`),
  );
  expect(problems).toEqual([]);
  const printed = projects.map(([name, , out]) => `## ${name}\n\n${out}`).join("\n");
  await expect(printed).toMatchFileSnapshot("pasted-steps.snap.md");
}, 120_000);

test.each(["model", "onnx", "tokenizer", "tokenize", "modelFile", "class", "int32"])(
  "the output compiles for a model that is called %s",
  async (name) => {
    const project = addProject(undefined, {
      [`exports/${name}/model.onnx`]: encoderModel(),
      [`exports/${name}/tokenizer.json`]: tokenizer,
    });
    const { code, out, err } = await project.pipeline(["add", `exports/${name}`]);
    expect(code, err).toBe(0);
    project.write("pipeline.ts", out);
    const built = await project.pipeline(["build"]);
    expect(built.code, `${out}\n${built.err}`).toBe(0);
  },
);
