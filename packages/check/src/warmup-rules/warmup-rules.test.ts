import { releaseOf } from "@tritype/triton";
import { expect, test } from "vitest";
import { findings } from "../ensemble-rules/findings.fixture.ts";
import { warmupCases } from "./warmup-cases.fixture.ts";
import { warmupRules } from "./warmup-rules.ts";

test.each(Object.entries(warmupCases))("%s", (_, { files, says }) => {
  expect(findings(files, warmupRules)).toEqual(says);
});

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

test("a string sequence id and warmup go together until 24.12", () => {
  expect(findings(strings, warmupRules)).toEqual([]);
  const release = releaseOf("25.01");
  expect(release && findings(strings, warmupRules, { release })).toEqual([
    "warmup/string-correlation-id m/config.pbtxt:6: `m` has warmup, but its sequence control `id` needs strings",
  ]);
});

test("files may be missing where only texts are judged, but not be wrong", () => {
  const { files } = warmupCases["missing file"] ?? { files: {} };
  expect(findings(files, warmupRules, { configsOnly: true })).toEqual([]);
  const short = warmupCases["short file"] ?? { files: {}, says: [] };
  expect(findings(short.files, warmupRules, { configsOnly: true })).toEqual(short.says);
});

test("what a Python model completes itself is not judged", () => {
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
    "warmup/unknown-input m/config.pbtxt:2: warmup sample `0` gives `x`, which is not an input of `m`",
  ]);
});

test("the Python backend reads the strings of a warmup file", () => {
  const files = warmupCases["last string cut, which the core does not look at"]?.files ?? {};
  const config = String((files as Readonly<Record<string, unknown>>)["m/config.pbtxt"]).replace(
    "identity",
    "python",
  );
  expect(findings({ ...files, "m/config.pbtxt": config }, warmupRules)).toEqual([
    "warmup/string-file m/config.pbtxt:12: `warmup/text` of `m` should have 2 strings for `text`, but string 1 should have 9 bytes, but only 1 follow",
  ]);
});
