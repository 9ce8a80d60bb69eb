import { encodeUtf8 } from "@tritype/core";
import type { RepositoryCase } from "../ensemble-rules/findings.fixture.ts";

/** The model's inputs: an integer, a string and an optional float tensor. */
const inputs = `input [
  { name: "ids" data_type: TYPE_INT64 dims: [ -1 ] },
  { name: "text" data_type: TYPE_STRING dims: [ 2 ] },
  { name: "scale" data_type: TYPE_FP32 dims: [ 2, 3 ] optional: true }
]
output { name: "out" data_type: TYPE_FP32 dims: [ 1 ] }`;

const ids = `key: "ids" value { data_type: TYPE_INT64 dims: [ 3 ] input_data_file: "ids" }`;
const text = `key: "text" value { data_type: TYPE_STRING dims: [ 2 ] input_data_file: "text" }`;

/** Strings as Triton stores them. */
export const stringBytes = (...texts: readonly string[]): Uint8Array =>
  new Uint8Array(
    texts.flatMap((one) => {
      const bytes = [...encodeUtf8(one)];
      return [bytes.length, 0, 0, 0, ...bytes];
    }),
  );

const warmed = (
  sample: string,
  says: readonly string[],
  { size = 4, head = "", files = {} }: { size?: number; head?: string; files?: RepositoryCase["files"] } = {},
): RepositoryCase => ({
  files: {
    "m/config.pbtxt": `backend: "identity" max_batch_size: ${size} ${head}
${inputs}
model_warmup {
  name: "w"
  ${sample}
}
`,
    "m/1/.keep": "",
    "m/warmup/ids": new Uint8Array(24),
    "m/warmup/text": stringBytes("é", ""),
    ...files,
  },
  says,
});

const both = `inputs { ${ids} }\n  inputs { ${text} }`;
const withIds = (value: string): string => `batch_size: 1
  inputs { key: "ids" value { ${value} } }
  inputs { ${text} }`;
const withText = (value: string): string => `batch_size: 1
  inputs { ${ids} }
  inputs { key: "text" value { ${value} } }`;
const at = (line: number, code: string, message: string): string =>
  `warmup/${code} m/config.pbtxt:${line}: ${message}`;

const cutOff = { "m/warmup/text": new Uint8Array([1, 0, 0, 0, 65, 9, 0, 0, 0, 66]) };

/** Warmup samples by title. Those whose codes are errors are refused by Triton 24.10 (`correlation id` by 25.01). */
export const warmupCases: Readonly<Record<string, RepositoryCase>> = {
  "whole sample": warmed(`batch_size: 4\n  ${both}`, []),
  "two runs, no batches": warmed(`batch_size: 1 count: 2\n  ${both}`, [], { size: 0 }),
  "no batch_size": warmed(both, [
    at(8, "skipped", "warmup sample `w` of `m` never runs: its batch_size is not set"),
  ]),
  "batch_size 0": warmed(`batch_size: 0\n  inputs { key: "nonsense" value { } }`, [
    at(10, "skipped", "warmup sample `w` of `m` never runs: its batch_size is 0"),
  ]),
  "open dims": warmed(withIds(`data_type: TYPE_INT64 dims: [ -1 ] input_data_file: "ids"`), [
    at(11, "open-dims", "input `ids` of warmup sample `w` of `m` has the dims [-1]"),
  ]),
  "dims below -1": warmed(withIds(`data_type: TYPE_INT64 dims: [ -2 ] input_data_file: "ids"`), [
    at(11, "open-dims", "input `ids` of warmup sample `w` of `m` has the dims [-2]"),
  ]),
  "a missing input and a wrong one": warmed(
    `batch_size: 1\n  inputs { key: "ids" value { data_type: TYPE_INT32 dims: [ 2, 2 ] zero_data: true } }`,
    [
      at(11, "missing-inputs", "warmup sample `w` of `m` does not give `text`"),
      at(11, "dtype", "input `ids` of warmup sample `w` is INT32, but `m` takes INT64"),
      at(11, "shape", "input `ids` of warmup sample `w` is INT32[2, 2], but `m` takes INT64[-1]"),
    ],
  ),
  "open dims and a missing file": warmed(
    withIds(`data_type: TYPE_INT64 dims: [ -1 ] input_data_file: "no"`),
    [
      at(11, "open-dims", "input `ids` of warmup sample `w` of `m` has the dims [-1]"),
      at(
        11,
        "missing-file",
        "input `ids` of warmup sample `w` of `m` needs `warmup/no`, which does not exist",
      ),
    ],
  ),
  "no data": warmed(withIds("data_type: TYPE_INT64 dims: [ 3 ]"), [
    at(11, "no-data", "input `ids` of warmup sample `w` of `m` has no data"),
  ]),
  "zero_data: false": warmed(withIds("data_type: TYPE_INT64 dims: [ 3 ] zero_data: false"), []),
  "empty dims": warmed(withIds("data_type: TYPE_INT64 dims: [ 0 ] zero_data: true"), []),
  "missing file": warmed(withIds(`data_type: TYPE_INT64 dims: [ 3 ] input_data_file: "none"`), [
    at(
      11,
      "missing-file",
      "input `ids` of warmup sample `w` of `m` needs `warmup/none`, which does not exist",
    ),
  ]),
  "file in a folder": warmed(
    withIds(`data_type: TYPE_INT64 dims: [ 3 ] input_data_file: "/deep/../deep//ids"`),
    [],
    {
      files: { "m/warmup/deep/ids": new Uint8Array(24) },
    },
  ),
  "file beside the folder": warmed(
    withIds(`data_type: TYPE_INT64 dims: [ 3 ] input_data_file: "../ids"`),
    [],
    {
      files: { "m/ids": new Uint8Array(24) },
    },
  ),
  "short file": warmed(withIds(`data_type: TYPE_INT64 dims: [ 4 ] input_data_file: "ids"`), [
    at(11, "short-file", "`warmup/ids` of `m` has 24 bytes; INT64[4] needs 32"),
  ]),
  "long file": warmed(withIds(`data_type: TYPE_INT64 dims: [ 2 ] input_data_file: "ids"`), [
    at(11, "long-file", "`warmup/ids` of `m` has more than the 16 bytes of INT64[2]; the rest is not used"),
  ]),
  "one string": warmed(
    `batch_size: 1\n  ${both}`,
    [at(12, "string-file", "`warmup/text` of `m` should have 2 strings for `text`, but has 1")],
    { files: { "m/warmup/text": stringBytes("one") } },
  ),
  "three strings": warmed(
    `batch_size: 1\n  ${both}`,
    [at(12, "string-file", "`warmup/text` of `m` should have 2 strings for `text`, but has more than 2")],
    { files: { "m/warmup/text": stringBytes("a", "b", "c") } },
  ),
  "no strings": warmed(
    `batch_size: 1\n  ${both}`,
    [at(12, "string-file", "`warmup/text` of `m` should have 2 strings for `text`, but has 0")],
    { files: { "m/warmup/text": "" } },
  ),
  "plain text": warmed(
    `batch_size: 1\n  ${both}`,
    [
      at(
        12,
        "string-file",
        "`warmup/text` of `m` should have 2 strings for `text`, but string 0 should have 1819043144 bytes, but only 8 follow",
      ),
    ],
    { files: { "m/warmup/text": "Hello, world" } },
  ),
  "half a length": warmed(
    `batch_size: 1\n  ${both}`,
    [
      at(
        12,
        "string-file",
        "`warmup/text` of `m` should have 2 strings for `text`, but ends inside the length of string 1",
      ),
    ],
    { files: { "m/warmup/text": new Uint8Array([1, 0, 0, 0, 65, 0, 0]) } },
  ),
  "last string cut, which the core does not look at": warmed(`batch_size: 1\n  ${both}`, [], {
    files: cutOff,
  }),
  "missing input": warmed(`batch_size: 1\n  inputs { ${ids} }`, [
    at(11, "missing-inputs", "warmup sample `w` of `m` does not give `text`"),
  ]),
  "misspelt input": warmed(
    `batch_size: 1\n  inputs { ${ids} }\n  inputs { ${text.replace('"text"', '"texts"')} }`,
    [at(11, "missing-inputs", "warmup sample `w` of `m` does not give `text`")],
  ),
  "an optional one in place of a required one": warmed(
    `batch_size: 1\n  inputs { ${ids} }\n  inputs { key: "scale" value { data_type: TYPE_FP32 dims: [ 2, 3 ] zero_data: true } }`,
    [],
  ),
  "no input at all": {
    files: {
      "m/config.pbtxt": `backend: "identity" max_batch_size: 4
input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] optional: true }
output { name: "out" data_type: TYPE_FP32 dims: [ 1 ] }
model_warmup { batch_size: 1 }
`,
      "m/1/.keep": "",
    },
    says: [at(4, "missing-inputs", "warmup sample `0` of `m` does not give any input")],
  },
  "unknown input": warmed(
    `batch_size: 1\n  ${both}\n  inputs { key: "scael" value { data_type: TYPE_FP32 dims: [ 2 ] zero_data: true } }`,
    [at(13, "unknown-input", "warmup sample `w` gives `scael`, which is not an input of `m`")],
  ),
  "unknown input without data": warmed(
    `batch_size: 1\n  ${both}\n  inputs { key: "scael" value { dims: [ 2 ] } }`,
    [
      at(13, "no-data", "input `scael` of warmup sample `w` of `m` has no data"),
      at(13, "unknown-input", "warmup sample `w` gives `scael`, which is not an input of `m`"),
    ],
  ),
  "input of the scheduler": warmed(
    `batch_size: 1\n  ${both}\n  inputs { key: "start" value { data_type: TYPE_INT32 dims: [ 1 ] zero_data: true } }`,
    [],
    {
      head: `sequence_batching { control_input { name: "start" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } } }`,
    },
  ),
  "other datatype": warmed(withIds(`data_type: TYPE_INT32 dims: [ 3 ] zero_data: true`), [
    at(11, "dtype", "input `ids` of warmup sample `w` is INT32, but `m` takes INT64"),
  ]),
  "no datatype": warmed(withIds("dims: [ 3 ] zero_data: true"), [
    at(11, "dtype", "input `ids` of warmup sample `w` is no data_type, but `m` takes INT64"),
  ]),
  "batch axis in dims": warmed(withIds(`data_type: TYPE_INT64 dims: [ 1, 3 ] input_data_file: "ids"`), [
    at(11, "shape", "input `ids` of warmup sample `w` is INT64[1, 3], but `m` takes INT64[-1]"),
  ]),
  "other dims": warmed(withText(`data_type: TYPE_STRING dims: [ 3 ] zero_data: true`), [
    at(12, "shape", "input `text` of warmup sample `w` is BYTES[3], but `m` takes BYTES[2]"),
    at(12, "empty-strings", "warmup sample `w` of `m` fills `text` with empty strings (zero_data)"),
  ]),
  "too large batch": warmed(`batch_size: 5\n  ${both}`, [
    at(10, "batch-size", "warmup sample `w` has batch_size 5, but `m` accepts at most 4"),
  ]),
  "batch of a model without batches": warmed(
    `batch_size: 2\n  ${both}`,
    [at(10, "batch-size", "warmup sample `w` has batch_size 2, but `m` accepts at most 1")],
    { size: 0 },
  ),
  "random ids": warmed(withIds("data_type: TYPE_INT64 dims: [ 3 ] random_data: true"), [
    at(11, "random-ids", "warmup sample `w` of `m` fills `ids` with random INT64 values, which are not ids"),
  ]),
  "random strings": warmed(withText("data_type: TYPE_STRING dims: [ 2 ] random_data: true"), [
    at(12, "empty-strings", "warmup sample `w` of `m` fills `text` with empty strings (random_data)"),
  ]),
  "passive instances": warmed(`batch_size: 1\n  inputs { ${ids} }`, [], {
    head: "instance_group { kind: KIND_CPU passive: true }",
  }),
};
