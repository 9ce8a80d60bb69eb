import type { CaseFiles } from "./case-files.ts";

/** A repository that Triton loads, the model to query, and the outcome of every request. */
export interface StricterCase {
  readonly files: CaseFiles;
  readonly model: string;
  /** Shape of the FP32 input `I`; default [2]. */
  readonly shape?: readonly number[];
  /** The server's answer; "no answer" within three seconds. */
  readonly says: RegExp;
}

const python = (execute: string): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class FakeTokenizer:
    def __call__(self, texts, padding, max_length):
        return {"input_ids": np.zeros((max_length,), dtype=np.float32)}


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = FakeTokenizer()

    def execute(self, requests):
        responses = []
        for request in requests:
            value = pb_utils.get_input_tensor_by_name(request, "I").as_numpy()
${execute}
        return responses
`;

const copy = '            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("O", value)]))';
const port = (side: "input" | "output", name: string, dims: string): string =>
  `${side} [ { name: "${name}" data_type: TYPE_FP32 dims: [ ${dims} ] } ]`;
const step = (model: string, from: string, to: string, input = "I", output = "O"): string =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "${input}" value: "${from}" } output_map { key: "${output}" value: "${to}" } }`;
const model = (
  name: string,
  input: string,
  output: string,
  code: string,
  ports = ["I", "O"],
  maxBatchSize = 0,
): CaseFiles => ({
  [`${name}/config.pbtxt`]: `backend: "python" max_batch_size: ${maxBatchSize}\n${port("input", ports[0] ?? "I", input)}\n${port("output", ports[1] ?? "O", output)}\n`,
  [`${name}/1/model.py`]: code,
});
const ensemble = (name: string, ports: string, ...steps: readonly string[]): CaseFiles => ({
  [`${name}/config.pbtxt`]: `platform: "ensemble"\n${ports}\nensemble_scheduling { step [\n${steps.join(",\n")}\n] }\n`,
  [`${name}/1/`]: "",
});

const tokenize = `            encoded = self.tokenizer(["a"], padding="max_length", max_length=512)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("input_ids", encoded["input_ids"])]))`;

/** Our refusals that Triton does not have, each with a request that it cannot answer. */
export const stricterCases: Readonly<Record<string, StricterCase>> = {
  "ensemble/written-input": {
    files: {
      ...model("a", "2", "2", python(copy)),
      ...model("b", "2", "2", python(copy)),
      ...ensemble(
        "circle",
        `${port("input", "I", "2")}\n${port("output", "mid", "2")}`,
        step("a", "I", "mid"),
        step("b", "mid", "I"),
      ),
    },
    model: "circle",
    says: /^no answer|expected a single response, got 2/,
  },
  "ensemble/shape-at-request": {
    files: {
      ...model("two", "2", "2", python(copy)),
      ...model("three", "3", "3", python(copy)),
      ...ensemble(
        "both",
        `${port("input", "I", "-1")}\noutput [ { name: "O2" data_type: TYPE_FP32 dims: 2 }, { name: "O3" data_type: TYPE_FP32 dims: 3 } ]`,
        step("two", "I", "O2"),
        step("three", "I", "O3"),
      ),
    },
    model: "both",
    says: /unexpected shape for input 'I' for model 'three'/,
  },
  "ensemble/too-many-rows": {
    files: {
      ...model("rows", "2", "2", python(copy), ["I", "O"], 2),
      ...ensemble(
        "fixed_rows",
        `${port("input", "I", "3, 2")}\n${port("output", "O", "3, 2")}`,
        step("rows", "I", "O"),
      ),
    },
    model: "fixed_rows",
    shape: [3, 2],
    says: /inference request batch-size must be <= 2 for 'rows'/,
  },
  // The same between two steps: the first has no batch, and returns 3 rows.
  "ensemble/too-many-rows, after a step": {
    files: {
      ...model("rows", "2", "2", python(copy), ["I", "O"], 2),
      ...model("tripled", "3, 2", "3, 2", python(copy)),
      ...ensemble(
        "fixed_rows",
        `${port("input", "I", "3, 2")}\n${port("output", "O", "3, 2")}`,
        step("tripled", "I", "three"),
        step("rows", "three", "O"),
      ),
    },
    model: "fixed_rows",
    shape: [3, 2],
    says: /inference request batch-size must be <= 2 for 'rows'/,
  },
  "python/returns-nothing": {
    files: model("silent", "2", "2", python(copy).replace("        return responses\n", "")),
    model: "silent",
    says: /^no answer/,
  },
  "python/padding-length": {
    files: {
      ...model("tokenizer", "2", "-1", python(tokenize), ["I", "input_ids"]),
      ...model("encoder", "128", "2", python(copy), ["input_ids", "O"]),
      ...ensemble(
        "text",
        `${port("input", "I", "2")}\n${port("output", "O", "2")}`,
        step("tokenizer", "I", "ids", "I", "input_ids"),
        step("encoder", "ids", "O", "input_ids", "O"),
      ),
    },
    model: "text",
    says: /unexpected shape for input 'input_ids' for model 'encoder'/,
  },
};

/** Our other refusals, and the tests in which a server confirms them. */
export const shownElsewhere: ReadonlyMap<string, string> = new Map([
  ["config/too-large", "a bound of the checker's own, against files of gigabytes"],
  [
    "ensemble/sequence-cache",
    "test/triton/response-cache.test.ts: Triton answers, but with the answer to another request",
  ],
  ["python/no-execute", "test/check/faults/failing-requests.test.ts"],
  ["python/undefined-name", "test/check/faults/failing-requests.test.ts"],
  ["python/unset-attribute", "test/check/faults/failing-requests.test.ts"],
  ["python/wrong-rank", "test/check/faults/failing-requests.test.ts"],
  ["tensor/duplicate-input", "test/check/faults/failing-requests.test.ts"],
  ["warmup/calls-models", "test/check/faults/failing-requests.test.ts"],
]);
