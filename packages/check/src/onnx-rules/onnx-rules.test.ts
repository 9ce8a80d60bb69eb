import { expect, test } from "vitest";
import type { CheckOptions } from "../check-options.ts";
import { type CaseGraph, graphFile, onnxModel } from "./onnx-model.fixture.ts";
import { onnxRules } from "./onnx-rules.ts";

interface Case {
  readonly code: string;
  readonly config: string;
  /** In `1/model.onnx`. */
  readonly graph?: CaseGraph;
  /** Other files. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  readonly options?: Partial<CheckOptions>;
  /** Exact; a near miss has none. */
  readonly message?: string;
  /** Where the first label points. */
  readonly at?: string;
}

const onnx = 'backend: "onnxruntime"';
const io = (dims: string, rest = "") =>
  `input { name: "A" data_type: TYPE_FP32 dims: ${dims} ${rest} } output { name: "B" data_type: TYPE_FP32 dims: [ 4 ] }`;
const usual = `${onnx} max_batch_size: 8 ${io("[ 4 ]")}`;
const plain = { inputs: { A: "FP32[N, 4]" }, outputs: { B: "FP32[N, 4]" } };
const gpu = { gpus: [0] };
const nothing = new Uint8Array();
const accelerated = (accelerator: string) =>
  `${usual} optimization { execution_accelerators { ${accelerator} } }`;
const tensorrt = (key: string, value: string) =>
  accelerated(
    `gpu_execution_accelerator { name: "tensorrt" parameters { key: "${key}" value: "${value}" } }`,
  );
const cuda = (value: string) =>
  accelerated(
    `gpu_execution_accelerator { name: "cuda" parameters { key: "do_copy_in_default_stream" value: "${value}" } }`,
  );
const parameter = (key: string, value: string) =>
  `${usual} parameters { key: "${key}" value { string_value: "${value}" } }`;
const controlled = (control: string) =>
  `${onnx} max_batch_size: 8 ${io("[ 4 ]")} sequence_batching { control_input { name: "START" control { kind: CONTROL_SEQUENCE_START ${control} } } }`;
const withStart = { ...plain, inputs: { ...plain.inputs, START: "FP32[N, 1]" } };
const installed = {
  backends: ["onnxruntime"],
  repositoryAgents: [],
  cpuAccelerators: [],
  libraries: ["/opt/ops.so"],
};
const torch = (input: string, rest = "") =>
  `backend: "pytorch" ${input} output { name: "OUT__0" data_type: TYPE_FP32 dims: 4 } ${rest}`;

const cases: readonly Case[] = [
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
    message:
      "`2/model.onnx` of `m` is not an ONNX model: the file is no ONNX model: its bytes are not a protobuf ModelProto",
  },
  {
    code: "onnx-model/broken-file",
    config: `${usual} version_policy { specific { versions: 1 } }`,
    graph: plain,
    files: { "2/model.onnx": nothing },
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
    message: "the weights of `1/model.onnx` of `m` lie in `weights.bin`, which is not there",
  },
  {
    code: "onnx-model/missing-external-data",
    config: usual,
    graph: { ...plain, graph: { initializer: [externalTensor("weights.bin")] } },
    files: { "1/weights.bin": nothing },
  },
  {
    code: "onnx-model/not-a-tensor",
    config: usual,
    graph: { ...plain, outputs: { ...plain.outputs, P: "sequence" } },
    message: "output `P` of `m` is a sequence in `1/model.onnx`; Triton has tensors only",
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
    message: "`m` has max_batch_size 8, but `B` is FP32[1, 4] in `1/model.onnx`: the graph takes no batches",
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
    message: "sequence control `START` of `m` is no input of `1/model.onnx`, which has `A`",
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
    message: "sequence control `START` of `m` has to be INT32[-1, 1], but is FP32[-1, 1] in `1/model.onnx`",
    at: ".sequence_batching.control_input[0]",
  },
  {
    code: "onnx-model/control-mismatch",
    config: controlled("fp32_false_true: [ 0, 1 ]"),
    graph: { ...plain, inputs: { ...plain.inputs, START: "FP32[N]" } },
    message: "sequence control `START` of `m` has to be FP32[-1, 1], but is FP32[-1] in `1/model.onnx`",
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
    message: "ragged input `A` of `m` has to be of shape [-1], but is FP32[-1, 4] in `1/model.onnx`",
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
    message: "input `A` of `m` is both ragged and optional, which the ONNX Runtime backend does not take",
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
    message: "input `A` of `m` has data_type 99, a number that stands for no type",
    at: ".input[0].data_type",
  },
  {
    code: "onnx-model/numeric-data-type",
    config: `${onnx} input { name: "A" data_type: 11 dims: 4 }`,
    graph: plain,
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
    message: "input `A` of `m` is FP32[-1, 4] by the configuration, but FP32[-1, 16] in `1/model.onnx`",
    at: ".input[0].dims",
  },
  {
    code: "onnx-model/wrong-shape",
    config: usual,
    graph: { ...plain, outputs: { B: "FP32[N, M]" } },
    message: "output `B` of `m` is FP32[-1, 4] by the configuration, but FP32[-1, -1] in `1/model.onnx`",
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
      "input `A` of `m` is FP32[4] by the configuration, but `1/model.onnx` declares no dimensions for it; output `B` of `m` is FP32[4] by the configuration, but `1/model.onnx` declares no dimensions for it",
    at: ".input[0].dims",
  },
  {
    code: "onnx-model/scalar-shape",
    config: `${onnx} max_batch_size: 8 ${io("[ 1, 1 ]")}`,
    graph: { ...plain, inputs: { A: "FP32" } },
  },
  {
    code: "backend/onnx-parameter",
    config: parameter("intra_op_thread_count", "abc"),
    graph: plain,
    message: "parameter `intra_op_thread_count` of `m` is `abc`, which is no whole number",
    at: ".parameters.intra_op_thread_count",
  },
  {
    code: "backend/onnx-parameter",
    config: parameter("enable_mem_arena", "yes"),
    graph: plain,
    message: "parameter `enable_mem_arena` of `m` is `yes`, which is no boolean",
  },
  { code: "backend/onnx-parameter", config: parameter("intra_op_thread_count", " 1abc"), graph: plain },
  { code: "backend/onnx-parameter", config: parameter("enable_mem_arena", "Off"), graph: plain },
  {
    code: "backend/onnx-execution-mode",
    config: parameter("execution_mode", "2"),
    graph: plain,
    message: "parameter `execution_mode` of `m` is 2; it has to be 0 (sequential) or 1 (parallel)",
  },
  { code: "backend/onnx-execution-mode", config: parameter("execution_mode", "0x1"), graph: plain },
  {
    code: "backend/onnx-parameter-range",
    config: parameter("inter_op_thread_count", "99999999999"),
    graph: plain,
    message:
      "parameter `inter_op_thread_count` of `m` is 99999999999, which does not fit into 32 bits: the server dies of it",
  },
  {
    code: "backend/onnx-parameter-range",
    config: parameter("inter_op_thread_count", "2147483647"),
    graph: plain,
  },
  {
    code: "backend/onnx-parameter-length",
    config: parameter("memory.enable_memory_arena_shrinkage", "x".repeat(9000)),
    graph: plain,
    message:
      "parameter `memory.enable_memory_arena_shrinkage` of `m` has 9000 characters, more than ONNX Runtime takes: the server dies of it",
  },
  {
    code: "backend/onnx-parameter-length",
    config: parameter("memory.enable_memory_arena_shrinkage", "cpu:0;gpu:0"),
    graph: plain,
  },
  {
    code: "backend/onnx-gpu-parameter",
    config: parameter("cudnn_conv_algo_search", "3"),
    graph: plain,
    options: gpu,
    message:
      "parameter `cudnn_conv_algo_search` of `m` is `3`; it has to be 0 (exhaustive), 1 (heuristic) or 2 (default)",
  },
  { code: "backend/onnx-gpu-parameter", config: parameter("cudnn_conv_algo_search", "3"), graph: plain },
  {
    code: "accelerator/unknown",
    config: accelerated('gpu_execution_accelerator { name: "tensor_rt" }'),
    graph: plain,
    options: gpu,
    message:
      "`m` asks for the GPU accelerator `tensor_rt`, which the server's ONNX Runtime backend does not have: tensorrt, cuda",
    at: ".optimization.execution_accelerators.gpu_execution_accelerator[0].name",
  },
  {
    code: "accelerator/unknown",
    config: accelerated('cpu_execution_accelerator { name: "openvino" }'),
    graph: plain,
    options: { installed },
    message:
      "`m` asks for the CPU accelerator `openvino`, which the server's ONNX Runtime backend does not have: it has none",
  },
  {
    code: "accelerator/unknown",
    config: accelerated(
      'gpu_execution_accelerator { name: "tensor_rt" } cpu_execution_accelerator { name: "openvino" }',
    ),
    graph: plain,
  },
  {
    code: "accelerator/tensorrt-unknown-parameter",
    config: tensorrt("trt_fp16_enable", "1"),
    graph: plain,
    options: gpu,
    message: "the tensorrt accelerator of `m` has no parameter `trt_fp16_enable`",
    at: ".optimization.execution_accelerators.gpu_execution_accelerator[0].parameters.trt_fp16_enable",
  },
  {
    code: "accelerator/tensorrt-unknown-parameter",
    config: tensorrt("trt_engine_cache_path", "/cache"),
    graph: plain,
    options: gpu,
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("precision_mode", "FP8"),
    graph: plain,
    options: gpu,
    message:
      "parameter `precision_mode` of the tensorrt accelerator of `m` is `FP8`; it has to be FP32, FP16, INT8",
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("max_workspace_size_bytes", "abc"),
    graph: plain,
    options: gpu,
    message:
      "parameter `max_workspace_size_bytes` of the tensorrt accelerator of `m` is `abc`; it has to be a whole number",
  },
  {
    code: "accelerator/parameter-value",
    config: cuda("maybe"),
    graph: plain,
    options: gpu,
    message:
      "parameter `do_copy_in_default_stream` of the cuda accelerator of `m` is `maybe`; it has to be true or false",
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("trt_engine_cache_enable", "ON"),
    graph: plain,
    options: gpu,
  },
  {
    code: "backend/op-library-not-found",
    config: `${usual} model_operations { op_library_filename: "ops.so" }`,
    graph: plain,
    options: { installed },
    message: "`m` needs the operator library `ops.so`, which the server does not have",
    at: ".model_operations.op_library_filename[0]",
  },
  {
    code: "backend/op-library-not-found",
    config: `${usual} model_operations { op_library_filename: "/opt/ops.so" }`,
    graph: plain,
    options: { installed },
  },
  {
    code: "backend/pytorch-no-tensors",
    config: 'backend: "pytorch" input { name: "A" data_type: TYPE_FP32 dims: 4 }',
    message: "`m` lists no outputs; the PyTorch backend completes nothing",
  },
  {
    code: "backend/pytorch-no-tensors",
    config: torch('input { name: "A" data_type: TYPE_FP32 dims: 4 }'),
  },
  {
    code: "backend/pytorch-data-type",
    config: torch('input { name: "A" data_type: TYPE_UINT32 dims: 4 }'),
    message: "input `A` of `m` has data_type TYPE_UINT32, which the PyTorch backend does not have",
    at: ".input[0].data_type",
  },
  {
    code: "backend/pytorch-data-type",
    config: torch('input { name: "A" data_type: TYPE_UINT8 dims: 4 }'),
  },
  {
    code: "backend/pytorch-string-shape",
    config: torch('input { name: "A" data_type: TYPE_STRING dims: [ 4, 1 ] }'),
    message: "input `A` of `m` is BYTES[4, 1]; the PyTorch backend takes lists of strings of one dimension",
    at: ".input[0].dims",
  },
  {
    code: "backend/pytorch-string-shape",
    config: torch('input { name: "A" data_type: TYPE_STRING dims: [ 4 ] }'),
  },
  {
    code: "backend/pytorch-name",
    config: torch(
      'input { name: "A" data_type: TYPE_FP32 dims: 4 }',
      'sequence_batching { state { input_name: "S__1" output_name: "S__1" } }',
    ),
    message: "input `A` of `m` has to be named `<name>__<index>`, because the model has sequence states",
    at: ".input[0].name",
  },
  {
    code: "backend/pytorch-name",
    config: torch(
      'input { name: "A__0" data_type: TYPE_FP32 dims: 4 }',
      'sequence_batching { state { input_name: "S__1" output_name: "S__1" } }',
    ),
  },
  {
    code: "backend/optional-input",
    config: torch('input { name: "A" data_type: TYPE_FP32 dims: 4 optional: true }'),
    message: "input `A` of `m` is optional, which the pytorch backend does not support",
    at: ".input[0].optional",
  },
  {
    code: "backend/optional-input",
    config: 'backend: "python" input { name: "A" data_type: TYPE_FP32 dims: 4 optional: true }',
  },
];

function externalTensor(location: string) {
  return {
    name: "w",
    dataType: 1,
    dims: [1],
    dataLocation: 1,
    externalData: [{ key: "location", value: location }],
  };
}

const diagnosticsOf = ({ code, config, graph, files = {}, options = {} }: Case) => {
  const model = onnxModel(
    config,
    { ...(graph ? { "1/model.onnx": graphFile(graph) } : {}), ...files },
    options,
  );
  const rule = onnxRules.find(({ entry }) => entry.code === code);
  return rule?.scope === "model" ? rule.check(model) : expect.fail(`no rule ${code}`);
};

const breaking = cases.filter(({ message }) => message !== undefined);
const passing = cases.filter(({ message }) => message === undefined);

test.each(breaking)("$code: $message", (broken) => {
  const found = diagnosticsOf(broken);
  expect(found.map(({ message }) => message).join("; ")).toBe(broken.message);
  if (broken.at !== undefined) expect(found[0]?.labels[0]?.span.file).toBe(broken.at);
});

test.each(passing)("$code lets $config pass", (near) => {
  expect(diagnosticsOf(near)).toEqual([]);
});

test("every rule has a case that breaks it and one that passes", () => {
  const codes = onnxRules.map(({ entry }) => entry.code).toSorted();
  const covered = (all: readonly Case[]) => [...new Set(all.map(({ code }) => code))].toSorted();
  expect(new Set(codes).size).toBe(codes.length);
  expect(covered(breaking)).toEqual(codes);
  expect(covered(passing)).toEqual(codes);
});
