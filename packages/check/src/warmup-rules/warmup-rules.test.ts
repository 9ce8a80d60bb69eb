import { releaseOf } from "@tritype/triton";
import { expect, test } from "vitest";
import { findings } from "../ensemble-rules/findings.fixture.ts";
import { warmupRules } from "./warmup-rules.ts";

const strings = {
  "m/config.pbtxt": `backend: "identity"
input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }
sequence_batching {
  control_input { name: "id" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } }
}
model_warmup { batch_size: 1 inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } } }
`,
  "m/1/.keep": "",
};

test("a string sequence ID and warmup work together up to 24.12", () => {
  expect(findings(strings, warmupRules)).toEqual([]);
  const release = releaseOf("25.01");
  expect(release && findings(strings, warmupRules, { release })).toEqual([
    "warmup/string-correlation-id m/config.pbtxt:6: `m` has a warmup, but its sequence control `id` needs strings",
  ]);
});

test("fields that a Python model completes itself are not checked", () => {
  const files = {
    "m/config.pbtxt": `backend: "python"
model_warmup { batch_size: 3 inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } } }
`,
    "m/1/model.py":
      "class TritonPythonModel:\n    @staticmethod\n    def auto_complete_config(config): ...\n",
  };
  expect(findings(files, warmupRules, { strict: false })).toEqual([]);
  expect(findings(files, warmupRules)).toEqual([
    "warmup/batch-size m/config.pbtxt:2: warmup sample `0` has batch_size 3, but `m` accepts at most 1",
    "warmup/unknown-input m/config.pbtxt:2: warmup sample `0` contains `x`, which is not an input of `m`",
  ]);
});

test.each([
  ["input_ids", true],
  ["TOKEN_ID", true],
  ["tokenIds", true],
  ["ids", true],
  ["grid", false],
  ["valid", false],
  ["PYRAMID", false],
])("random integers for %s: they should be ids is %s", (name, found) => {
  const files = {
    "m/config.pbtxt": `backend: "identity"
input { name: "${name}" data_type: TYPE_INT32 dims: [ 1 ] }
model_warmup { batch_size: 1 inputs { key: "${name}" value { data_type: TYPE_INT32 dims: [ 1 ] random_data: true } } }
`,
    "m/1/.keep": "",
  };
  expect(findings(files, warmupRules).some((one) => one.startsWith("warmup/random-ids"))).toBe(found);
});
