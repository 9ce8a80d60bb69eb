import { graphFile } from "./onnx-model.fixture.ts";
import { externalTensor, outsideCases } from "./weights-cases.fixture.ts";
import { io, newest, nothing, onnx, plain, type RuleCase, usual } from "./rule-case.fixture.ts";

const controlled = (control: string) =>
  `${onnx} max_batch_size: 8 ${io("[ 4 ]")} sequence_batching { control_input { name: "START" control { kind: CONTROL_SEQUENCE_START ${control} } } }`;
const withStart = { ...plain, inputs: { ...plain.inputs, START: "FP32[N, 1]" } };

const stringWarmup = `${onnx} model_warmup { batch_size: 1 inputs { key: "A" value { data_type: TYPE_STRING dims: 2 input_data_file: "s" } } }`;

/** Files and graphs of the ONNX Runtime backend. */
export const graphCases: readonly RuleCase[] = [
  {
    code: "onnx-model/missing-file",
    config: `${usual} default_model_filename: "net.onnx"`,
    graph: plain,
    message: "`m` has no file `1/net.onnx`",
    at: ".default_model_filename",
  },
  {
    code: "onnx-model/missing-file",
    config: usual,
    graph: plain,
    files: { "2/notes.txt": nothing },
    message: "`m` has no file `2/model.onnx`",
  },
  {
    code: "onnx-model/missing-file",
    config: `${usual} platform: "onnxruntime_onnx"`,
    files: { "1/model.onnx/net.onnx": nothing },
    message: "`m` has no file `1/model.onnx/model.onnx`",
  },
  {
    code: "onnx-model/missing-file",
    config: `${usual} platform: "onnxruntime_onnx"`,
    files: { "1/model.onnx/model.onnx": graphFile(plain) },
  },
  {
    code: "onnx-model/missing-file",
    config: `${usual} default_model_filename: "../2/net.onnx" version_policy { specific { versions: 1 } }`,
    files: { "1/notes.txt": nothing, "2/net.onnx": graphFile(plain) },
  },
  {
    code: "onnx-model/missing-file",
    config: usual,
    files: { "1/notes.txt": nothing },
    options: { configsOnly: true },
  },
  {
    code: "onnx-model/broken-file",
    config: usual,
    files: { "1/model.onnx": nothing },
    message: "`1/model.onnx` of `m` is not an ONNX model: the file is empty",
  },
  {
    code: "onnx-model/broken-file",
    config: usual,
    files: { "1/model.onnx": graphFile(plain).subarray(0, 40) },
    message:
      "`1/model.onnx` of `m` is not an ONNX model: the file is truncated: it ends in the middle of a field",
  },
  {
    code: "onnx-model/broken-file",
    config: `${usual} version_policy { all {} }`,
    graph: plain,
    files: { "2/model.onnx": new TextEncoder().encode("not an onnx file") },
    message: "`2/model.onnx` of `m` is not an ONNX model: its bytes are not a protobuf ModelProto",
  },
  {
    code: "onnx-model/broken-file",
    config: `${usual} version_policy { specific { versions: 1 } }`,
    graph: plain,
    files: { "2/model.onnx": nothing },
  },
  {
    code: "onnx-model/broken-file",
    config: `${usual} default_model_filename: "model.ort"`,
    files: { "1/model.ort": new TextEncoder().encode("\0\0\0\0ORTM") },
  },
  {
    code: "onnx-model/opset-too-new",
    config: usual,
    graph: { ...plain, rest: { opsetImport: [{ version: 22 }] } },
    message: "`1/model.onnx` of `m` needs opset 22 of ai.onnx; Triton 24.10 reads up to 21",
  },
  {
    code: "onnx-model/opset-too-new",
    config: usual,
    graph: { ...plain, rest: { opsetImport: [{ version: 21 }, { domain: "ai.onnx.ml", version: 6 }] } },
    message: "`1/model.onnx` of `m` needs opset 6 of ai.onnx.ml; Triton 24.10 reads up to 5",
  },
  {
    code: "onnx-model/opset-too-new",
    config: usual,
    graph: { ...plain, rest: { opsetImport: [{ version: 21 }, { domain: "my.ops", version: 99 }] } },
  },
  {
    code: "onnx-model/ir-version-too-new",
    config: usual,
    graph: { ...plain, rest: { irVersion: 11 } },
    message: "`1/model.onnx` of `m` has IR version 11; Triton 24.10 reads up to 10",
  },
  { code: "onnx-model/ir-version-too-new", config: usual, graph: { ...plain, rest: { irVersion: 10 } } },
  {
    code: "onnx-model/missing-external-data",
    config: usual,
    graph: { ...plain, graph: { initializer: [externalTensor("weights.bin")] } },
    message: "the weights of `1/model.onnx` of `m` are in `weights.bin`, which does not exist",
  },
  {
    code: "onnx-model/missing-external-data",
    config: usual,
    graph: { ...plain, graph: { initializer: [externalTensor("weights.bin")] } },
    files: { "1/weights.bin": nothing },
  },
  {
    code: "onnx-model/missing-external-data",
    config: usual,
    graph: { ...plain, graph: { initializer: [externalTensor("./data/../weights.bin")] } },
    files: { "1/weights.bin": nothing },
  },
  ...outsideCases,
  {
    code: "onnx-model/not-a-tensor",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, P: "sequence" } },
    message: "output `P` of `m` is a sequence in `1/model.onnx`; Triton only has tensors",
  },
  { code: "onnx-model/not-a-tensor", config: usual, graph: { ...plain, outputs: { B: "FP32" } } },
  {
    code: "onnx-model/complex-elements",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, P: "COMPLEX64[N]" } },
    message: "output `P` of `m` is COMPLEX64[-1] in `1/model.onnx`; ONNX Runtime has no complex numbers",
  },
  {
    code: "onnx-model/complex-elements",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, P: "FLOAT8E4M3FN[N]" } },
  },
  {
    code: "onnx-model/no-float4-cast",
    config: usual,
    graph: {
      ...plain,
      outputs: { ...plain.outputs, P: "FLOAT4E2M1[N]" },
      graph: { node: [{ opType: "Cast", output: ["P"], attribute: [{ name: "to", i: 23 }] }] },
    },
    message: "output `P` of `m` is FLOAT4E2M1[-1] in `1/model.onnx`; ONNX Runtime cannot cast to it",
  },
  {
    code: "onnx-model/no-float4-cast",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, P: "FLOAT4E2M1[N]" } },
  },
  {
    code: "onnx-model/completion-without-batching",
    config: `${onnx} max_batch_size: 8`,
    graph: { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[1, 4]" } },
    message:
      "`m` has max_batch_size 8, but `B` is FP32[1, 4] in `1/model.onnx`: the graph has no batch dimension",
    at: ".max_batch_size",
  },
  {
    code: "onnx-model/completion-without-batching",
    config: onnx,
    graph: { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[1, 4]" } },
  },
  {
    code: "onnx-model/completion-without-batching",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, C: "FP32[1]" } },
  },
  {
    code: "onnx-model/completed-tensor-unusable",
    config: onnx,
    graph: { inputs: { A: "BF16[N, 4]" }, outputs: { B: "FP32[N, 4]" } },
    message:
      "input `A` of `m` is BFLOAT16[-1, 4] in `1/model.onnx`; the configuration cannot be completed from it",
  },
  {
    code: "onnx-model/completed-tensor-unusable",
    config: onnx,
    graph: { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[N, 0]" } },
    message:
      "output `B` of `m` is FP32[-1, 0] in `1/model.onnx`; the configuration cannot be completed from it",
  },
  {
    code: "onnx-model/completed-tensor-unusable",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, C: "BF16[N]" } },
  },
  {
    code: "onnx-model/input-count",
    config: usual,
    graph: { ...plain, inputs: { ...plain.inputs, M: "INT64[N]" } },
    message: "`m` accounts for 1 inputs (1 required); `1/model.onnx` has 2: `A`, `M`",
    at: ".input",
  },
  {
    code: "onnx-model/input-count",
    config: `${usual} sequence_batching { state { input_name: "S" } state { input_name: "T" } }`,
    graph: plain,
    message: "`m` accounts for 3 inputs (1 required, 2 states); `1/model.onnx` has 1: `A`",
  },
  {
    code: "onnx-model/input-count",
    config: `${onnx} ${io("[ -1, 4 ]", "optional: true")} input { name: "W" data_type: TYPE_FP32 dims: 3 }`,
    graph: { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[4]" }, defaults: { W: "FP32[3]" } },
  },
  {
    code: "onnx-model/unknown-control",
    config: controlled("fp32_false_true: [ 0, 1 ]"),
    graph: plain,
    message: "sequence control `START` of `m` is not an input of `1/model.onnx`, which has `A`",
    at: ".sequence_batching.control_input[0].name",
  },
  {
    code: "onnx-model/unknown-control",
    config: controlled("fp32_false_true: [ 0, 1 ]"),
    graph: withStart,
  },
  {
    code: "onnx-model/control-mismatch",
    config: controlled("int32_false_true: [ 0, 1 ]"),
    graph: withStart,
    message: "sequence control `START` of `m` must be INT32[-1, 1], but is FP32[-1, 1] in `1/model.onnx`",
    at: ".sequence_batching.control_input[0]",
  },
  {
    code: "onnx-model/control-mismatch",
    config: controlled("fp32_false_true: [ 0, 1 ]"),
    graph: { ...plain, inputs: { ...plain.inputs, START: "FP32[N]" } },
    message: "sequence control `START` of `m` must be FP32[-1, 1], but is FP32[-1] in `1/model.onnx`",
  },
  {
    code: "onnx-model/control-mismatch",
    config: controlled("fp32_false_true: [ 0, 1 ]"),
    graph: withStart,
  },
  {
    code: "onnx-model/optional-with-batching",
    config: `${onnx} max_batch_size: 8 ${io("[ 4 ]", "optional: true")}`,
    graph: plain,
    message: "input `A` of `m` is optional, which needs max_batch_size 0; it is 8",
    at: ".input[0].optional",
  },
  {
    code: "onnx-model/optional-with-batching",
    config: `${onnx} ${io("[ -1, 4 ]", "optional: true")}`,
    graph: plain,
  },
  {
    code: "onnx-model/ragged-shape",
    config: `${onnx} max_batch_size: 8 ${io("[ -1 ]", "allow_ragged_batch: true")}`,
    graph: plain,
    message: "ragged input `A` of `m` must have shape [-1], but is FP32[-1, 4] in `1/model.onnx`",
    at: ".input[0].allow_ragged_batch",
  },
  {
    code: "onnx-model/ragged-shape",
    config: `${onnx} max_batch_size: 8 ${io("[ -1 ]", "allow_ragged_batch: true")}`,
    graph: { ...plain, inputs: { A: "FP32[N]" } },
  },
  {
    code: "onnx-model/ragged-optional",
    config: `${onnx} ${io("[ -1 ]", "allow_ragged_batch: true optional: true")}`,
    graph: plain,
    message: "input `A` of `m` is both ragged and optional, which the ONNX Runtime backend does not support",
    at: ".input[0].allow_ragged_batch",
  },
  {
    code: "onnx-model/ragged-optional",
    config: `${onnx} ${io("[ -1 ]", "allow_ragged_batch: false optional: true")}`,
    graph: plain,
  },
  {
    code: "onnx-model/unknown-tensor",
    config: usual,
    graph: { inputs: { A_1: "FP32[N, 4]" }, outputs: { B: "FP32[N, 4]" } },
    message: "input `A` of `m` is not in `1/model.onnx`, which has `A_1`",
    at: ".input[0].name",
  },
  {
    code: "onnx-model/unknown-tensor",
    config: usual,
    graph: { inputs: plain.inputs, outputs: { logits: "FP32[N, 4]", extra: "FP32[N]" } },
    message: "output `B` of `m` is not in `1/model.onnx`, which has `logits`, `extra`",
    at: ".output[0].name",
  },
  {
    code: "onnx-model/unknown-tensor",
    config: `${onnx} ${io("[ -1, 4 ]")} input { name: "W" data_type: TYPE_FP32 dims: 3 optional: true }`,
    graph: { ...plain, defaults: { W: "FP32[3]" }, rest: { irVersion: 3 } },
    message: "input `W` of `m` is not in `1/model.onnx`, which has `A`",
  },
  {
    code: "onnx-model/unknown-tensor",
    config: `${onnx} ${io("[ -1, 4 ]")} input { name: "W" data_type: TYPE_FP32 dims: 3 optional: true }`,
    graph: { ...plain, defaults: { W: "FP32[3]" }, outputs: { ...plain.outputs, C: "FP32[N]" } },
  },
  {
    code: "onnx-model/bf16",
    config: `${onnx} input { name: "A" data_type: TYPE_BF16 dims: 4 }`,
    graph: plain,
    message: "input `A` of `m` has data_type TYPE_BF16, which the ONNX Runtime backend does not have",
    at: ".input[0].data_type",
  },
  { code: "onnx-model/bf16", config: 'backend: "python" input { name: "A" data_type: TYPE_BF16 dims: 4 }' },
  {
    code: "onnx-model/numeric-data-type",
    config: `${onnx} input { name: "A" data_type: 99 dims: 4 }`,
    graph: plain,
    message: "input `A` of `m` has data_type 99, a number without a type",
    at: ".input[0].data_type",
  },
  {
    code: "onnx-model/numeric-data-type",
    config: `${onnx} input { name: "A" data_type: 11 dims: 4 }`,
    graph: plain,
  },
  {
    code: "onnx-model/completed-tensor-unusable",
    config: onnx,
    graph: { inputs: { A: "BF16[N, 4]" }, outputs: { B: "FP32[N, 4]" } },
    options: { release: newest },
  },
  {
    code: "onnx-model/wrong-data-type",
    config: `${onnx} input { name: "A" data_type: TYPE_BF16 dims: [ -1, 4 ] }`,
    graph: { ...plain, inputs: { A: "FP32[N, 4]" } },
    options: { release: newest },
    message: "input `A` of `m` has data_type TYPE_BF16, but is FP32[-1, 4] in `1/model.onnx`",
  },
  {
    code: "onnx-model/wrong-data-type",
    config: `${onnx} input { name: "A" data_type: TYPE_BF16 dims: [ -1, 4 ] }`,
    graph: { ...plain, inputs: { A: "BF16[N, 4]" } },
    options: { release: newest },
  },
  {
    code: "onnx-model/wrong-data-type",
    config: usual,
    graph: { ...plain, inputs: { A: "INT64[N, 4]" } },
    message: "input `A` of `m` has data_type TYPE_FP32, but is INT64[-1, 4] in `1/model.onnx`",
    at: ".input[0].data_type",
  },
  {
    code: "onnx-model/wrong-data-type",
    config: `${onnx} input { name: "A" data_type: TYPE_STRING dims: [ -1, 4 ] }`,
    graph: { ...plain, inputs: { A: "BYTES[N, 4]" } },
  },
  {
    code: "onnx-model/no-batch-dimension",
    config: usual,
    graph: { ...plain, inputs: { A: "FP32[1, 4]" } },
    message:
      "`m` has max_batch_size 8, but input `A` is FP32[1, 4] in `1/model.onnx`: its first dimension is fixed",
    at: ".max_batch_size",
  },
  { code: "onnx-model/no-batch-dimension", config: usual, graph: plain },
  {
    code: "onnx-model/wrong-shape",
    config: usual,
    graph: { ...plain, inputs: { A: "FP32[N, 16]" } },
    message: "input `A` of `m` is FP32[-1, 4] in the configuration, but FP32[-1, 16] in `1/model.onnx`",
    at: ".input[0].dims",
  },
  {
    code: "onnx-model/wrong-shape",
    config: usual,
    graph: { ...plain, outputs: { B: "FP32[N, M]" } },
    message: "output `B` of `m` is FP32[-1, 4] in the configuration, but FP32[-1, -1] in `1/model.onnx`",
    at: ".output[0].dims",
  },
  {
    code: "onnx-model/wrong-shape",
    config: `${onnx} max_batch_size: 8 ${io("[ 2, 2 ]", "reshape { shape: 4 }")}`,
    graph: { ...plain, inputs: { A: "FP32[N, M]" } },
  },
  {
    code: "onnx-model/wrong-shape",
    config: `${usual} batch_output { target_name: "B" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "A" }`,
    graph: { ...plain, outputs: { B: "FP32[N]" } },
  },
  {
    code: "onnx-model/scalar-shape",
    config: `${onnx} ${io("[ 4 ]")}`,
    graph: { ...plain, inputs: { A: "FP32[]" }, outputs: { B: "FP32" } },
    message:
      "input `A` of `m` is FP32[4] in the configuration, but `1/model.onnx` declares no dimensions for it; output `B` of `m` is FP32[4] in the configuration, but `1/model.onnx` declares no dimensions for it",
    at: ".input[0].dims",
  },
  {
    code: "onnx-model/scalar-shape",
    config: `${onnx} max_batch_size: 8 ${io("[ 1, 1 ]")}`,
    graph: { ...plain, inputs: { A: "FP32" } },
  },
  {
    code: "warmup/not-in-graph",
    config: `${usual} model_warmup { name: "w" batch_size: 1 inputs { key: "Q" value { dims: 4 zero_data: true } } }`,
    graph: plain,
    message:
      "warmup sample `w` of `m` gives `Q`, which `1/model.onnx` does not have: the load fails, or the server crashes",
    at: ".model_warmup[0].inputs.Q",
  },
  {
    code: "warmup/not-in-graph",
    config: `${usual} model_warmup { inputs { key: "Q" value { dims: 4 zero_data: true } } }`,
    graph: plain,
  },
  {
    code: "warmup/string-cut-off",
    config: stringWarmup,
    graph: plain,
    files: { "warmup/s": new Uint8Array([1, 0, 0, 0, 97, 2, 0, 0, 0, 98]) },
    message:
      "warmup sample `0` of `m`: the last string for `A` in `warmup/s` is cut off: 2 bytes are announced but only 1 follow",
    at: ".model_warmup[0].inputs.A.input_data_file",
  },
  {
    code: "warmup/string-cut-off",
    config: stringWarmup,
    graph: plain,
    files: { "warmup/s": new Uint8Array([1, 0, 0, 0, 97, 0, 0, 0, 0]) },
  },
];
