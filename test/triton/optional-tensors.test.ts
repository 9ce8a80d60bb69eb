import { httpClient } from "@tritype/client";
import { PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { expectSameAnswers, outcome } from "./same-answers.ts";

// For the reason why `when` is not built from optional inputs, see docs/decisions/0040-when-is-an-operator.md.

const ports = (kind: "input" | "output", ...names: readonly string[]): string =>
  names
    .map(
      (name) =>
        `${kind} { name: "${name.replace("?", "")}" data_type: TYPE_FP32 dims: [ 2 ] optional: ${name.endsWith("?")} }\n`,
    )
    .join("")
    .replaceAll(kind === "output" ? " optional: false" : "\0", "");
const python = (inputs: readonly string[], outputs: readonly string[]): string =>
  `backend: "python"\n${ports("input", ...inputs)}${ports("output", ...outputs)}`;
const model = (answer: string): string => `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(lambda name: pb_utils.get_input_tensor_by_name(request, name)) for request in requests]

    def answer(self, given):
        return pb_utils.InferenceResponse([${answer}])
`;
const step = (
  name: string,
  inputs: Readonly<Record<string, string>>,
  outputs: Readonly<Record<string, string>>,
): string => {
  const maps = [
    ...Object.entries(inputs).map(([key, value]) => `input_map { key: "${key}" value: "${value}" }`),
    ...Object.entries(outputs).map(([key, value]) => `output_map { key: "${key}" value: "${value}" }`),
  ];
  return `step { model_name: "${name}" model_version: -1 ${maps.join(" ")} }\n`;
};
const ensemble = (inputs: readonly string[], ...steps: readonly string[]): string =>
  `platform: "ensemble"\n${ports("input", ...inputs)}${ports("output", "Y")}ensemble_scheduling {\n${steps.join("")}}\n`;

const files = {
  "route/config.pbtxt": python(["X"], ["A", "B"]),
  "route/1/model.py": model(
    'pb_utils.Tensor("A" if given("X").as_numpy()[0] > 0 else "B", given("X").as_numpy())',
  ),
  "ten/config.pbtxt": python(["X"], ["Y"]),
  "ten/1/model.py": model('pb_utils.Tensor("Y", given("X").as_numpy() + 10)'),
  "join/config.pbtxt": python(["A?", "B?"], ["Y"]),
  "join/1/model.py": model('pb_utils.Tensor("Y", (given("A") or given("B")).as_numpy())'),
  /** A step that returns one of two tensors, a model for each, and a step that accepts either. */
  "branch/config.pbtxt": ensemble(
    ["X"],
    step("route", { X: "X" }, { A: "a", B: "b" }),
    step("ten", { X: "a" }, { Y: "a2" }),
    step("ten", { X: "b" }, { Y: "b2" }),
    step("join", { A: "a2", B: "b2" }, { Y: "Y" }),
  ),
  "branch/1/.keep": "",
  "given/config.pbtxt": ensemble(
    ["A?", "B?"],
    step("ten", { X: "A" }, { Y: "a2" }),
    step("join", { A: "a2", B: "B" }, { Y: "Y" }),
  ),
  "given/1/.keep": "",
  "through/config.pbtxt": ensemble(["A?", "B?"], step("join", { A: "A", B: "B" }, { Y: "Y" })),
  "through/1/.keep": "",
  "rows/config.pbtxt": `max_batch_size: 4\n${python(["A?", "B?"], ["Y"])}`,
  "rows/1/model.py": model('pb_utils.Tensor("Y", (given("A") or given("B")).as_numpy())'),
  /** `A` is all that the first step gets. */
  "counted/config.pbtxt": `max_batch_size: 4\n${ensemble(
    ["A?", "X"],
    step("rows", { A: "A" }, { Y: "a2" }),
    step("rows", { A: "a2", B: "X" }, { Y: "Y" }),
  )}`,
  "counted/1/.keep": "",
};

let judged: Judged;
beforeAll(async () => {
  judged = await judgeFiles(files);
}, installTime);
afterAll(() => judged?.stop());

const ask = async (name: string, input: string, ...values: readonly number[]): Promise<unknown> => {
  try {
    const inputs = new Map([[input, tensorOf("FP32", [2], values)]]);
    const answer = await httpClient(judged.triton.httpUrl, { timeoutMs: 20_000 }).infer({
      model: name,
      id: "",
      inputs,
    });
    return [...answer].map(([output, tensor]) => [output, ...valuesOf(tensor)]);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return error.message.replace(/^.*(expected \d.*?for model).*$/s, "$1");
  }
};

test("an optional input that is not given is missing from the step's inputs", async () => {
  expect(await ask("through", "B", 1, 2)).toEqual([["Y", 1, 2]]);
});

test("a batched step fails a request that has none of its inputs (batch/no-required-input)", async () => {
  const callOf = (called: string, ...names: readonly string[]) => {
    const inputs = new Map(names.map((name) => [name, tensorOf("FP32", [1, 2], [1, 2])]));
    return { model: called, id: "", inputs, outputs: [] };
  };
  const callWith = (...names: readonly string[]) => callOf("counted", ...names);
  expect(await outcome(judged.local, callWith("A", "X"))).toHaveProperty("Y");
  expect(await outcome(judged.local, callWith("X"))).toEqual({
    error: expect.stringContaining("out of bounds index 0: request has 0 inputs") as string,
  });
  expect(await outcome(judged.local, callOf("rows"))).toEqual({
    error: expect.stringContaining("out of bounds index 0: request has 0 inputs") as string,
  });
  for (const call of [callWith("A", "X"), callWith("X"), callOf("rows", "B"), callOf("rows")])
    await expectSameAnswers(judged, call);
});

test("a step whose tensor is missing still runs, and fails the request", async () => {
  const refused = "expected 1 inputs but got 0 inputs for model";
  expect(await ask("given", "A", 1, 2)).toEqual([["Y", 11, 12]]);
  expect(await ask("given", "B", 1, 2)).toBe(refused);
  expect(await ask("branch", "X", 1, 2)).toBe(refused);
  expect(await ask("branch", "X", -1, 2)).toBe(refused);
});
