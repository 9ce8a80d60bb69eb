import { newest, nothing, oldest, plain, type RuleCase, usual } from "./rule-case.fixture.ts";

const gpu = { gpus: [0] };
const accelerated = (accelerator: string) =>
  `${usual} optimization { execution_accelerators { ${accelerator} } }`;
const tensorrt = (key: string, value: string) =>
  accelerated(
    `gpu_execution_accelerator { name: "tensorrt" parameters { key: "${key}" value: "${value}" } }`,
  );
const cudaOption = (key: string, value: string) =>
  accelerated(`gpu_execution_accelerator { name: "cuda" parameters { key: "${key}" value: "${value}" } }`);
const cuda = (value: string) => cudaOption("use_ep_level_unified_stream", value);
const parameter = (key: string, value: string) =>
  `${usual} parameters { key: "${key}" value { string_value: "${value}" } }`;
const installed = {
  backends: ["onnxruntime"],
  repositoryAgents: [],
  cpuAccelerators: [],
  libraries: ["/opt/ops.so"],
};
const torch = (input: string, rest = "") =>
  `backend: "pytorch" ${input} output { name: "OUT__0" data_type: TYPE_FP32 dims: 4 } ${rest}`;

const plan = (strategy: string) =>
  `backend: "tensorrt" parameters { key: "execution_context_allocation_strategy" value { string_value: "${strategy}" } }`;

/** Backends, accelerators, parameters and what the server has installed. */
export const backendCases: readonly RuleCase[] = [
  {
    code: "model-file/other-name",
    config: 'backend: "tensorrt"',
    files: { "1/model.engine": nothing },
    message: "`m` has no file `1/model.plan`, only `1/model.engine`",
  },
  {
    code: "model-file/other-name",
    config: 'backend: "tensorrt" default_model_filename: "bert.plan"',
    files: { "1/model.plan": nothing },
    message: "`m` has no file `1/bert.plan`, only `1/model.plan`",
  },
  {
    code: "model-file/other-name",
    config: 'platform: "pytorch_libtorch" backend: "pytorch" version_policy { all { } }',
    files: { "1/model.pt": nothing, "2/model.pth": nothing, "3/x.txt": nothing },
    message: "`m` has no file `2/model.pt`, only `2/model.pth`",
  },
  ...[
    ['backend: "tensorrt"', "1/model.plan"],
    ['backend: "tensorrt"', "1/weights.bin"],
    ['backend: "tensorrt" default_model_filename: "bert.engine"', "1/bert.engine"],
    ['backend: "tensorrt" cc_model_filenames { key: "8.0" value: "a100.plan" }', "1/a100.plan"],
    ['backend: "pytorch" default_model_filename: "a/model.pt"', "1/a/model.pt"],
    ['backend: "pytorch" runtime: "model.py"', "1/weights.pt"],
    ['backend: "pytorch" platform: "torch_aoti"', "1/model.pt"],
    ['backend: "python"', "1/weights.pt"],
  ].map(
    ([config = "", file = ""]): RuleCase => ({
      code: "model-file/other-name",
      config,
      files: { [file]: nothing },
    }),
  ),
  {
    code: "batch/strategy-not-found",
    config: parameter("TRITON_BATCH_STRATEGY_PATH", "/opt/none.so"),
    options: { installed },
    message: "the server has no batching library `/opt/none.so` for `m`",
    at: ".parameters.TRITON_BATCH_STRATEGY_PATH",
  },
  {
    code: "batch/strategy-not-found",
    config: parameter("TRITON_BATCH_STRATEGY_PATH", "/opt/ops.so"),
    options: { installed },
  },
  {
    code: "repository/agent-not-installed",
    config: 'model_repository_agents { agents { name: "checksum" } }',
    options: { installed },
    message: "the server has no repository agent `checksum` for `m`",
    at: ".model_repository_agents.agents[0].name",
  },
  {
    code: "repository/agent-not-installed",
    config: 'model_repository_agents { agents { name: "checksum" } }',
  },
  {
    code: "backend/not-installed",
    config: 'backend: "pytorch"',
    options: { installed },
    message: "the server has no backend `pytorch` for `m`; it has onnxruntime",
    at: ".backend",
  },
  {
    code: "backend/not-installed",
    config: 'backend: "mine"',
    files: { "1/libtriton_mine.so": nothing },
    options: { installed },
  },
  {
    code: "backend/runtime-not-found",
    config: `${usual} runtime: "libtriton_other.so"`,
    graph: plain,
    options: { installed },
    message: "the server has no runtime `libtriton_other.so` for backend `onnxruntime` of `m`",
    at: ".runtime",
  },
  {
    code: "backend/runtime-not-found",
    config: `${usual} runtime: "libtriton_onnxruntime.so"`,
    graph: plain,
    options: { installed },
  },
  {
    code: "backend/onnx-parameter",
    config: parameter("intra_op_thread_count", "abc"),
    graph: plain,
    message: "parameter `intra_op_thread_count` of `m` is `abc`, which is not a whole number",
    at: ".parameters.intra_op_thread_count",
  },
  {
    code: "backend/onnx-parameter",
    config: parameter("enable_mem_arena", "yes"),
    graph: plain,
    message: "parameter `enable_mem_arena` of `m` is `yes`, which is not a boolean",
  },
  { code: "backend/onnx-parameter", config: parameter("intra_op_thread_count", " 1abc"), graph: plain },
  { code: "backend/onnx-parameter", config: parameter("enable_mem_arena", "Off"), graph: plain },
  {
    code: "backend/onnx-execution-mode",
    config: parameter("execution_mode", "2"),
    graph: plain,
    message: "parameter `execution_mode` of `m` is 2; it must be 0 (sequential) or 1 (parallel)",
  },
  { code: "backend/onnx-execution-mode", config: parameter("execution_mode", "0x1"), graph: plain },
  {
    code: "backend/onnx-parameter-range",
    config: parameter("inter_op_thread_count", "99999999999"),
    graph: plain,
    message:
      "parameter `inter_op_thread_count` of `m` is 99999999999, which does not fit into 32 bits and crashes the server",
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
      "parameter `memory.enable_memory_arena_shrinkage` of `m` has 9000 characters, more than ONNX Runtime accepts, which crashes the server",
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
      "parameter `cudnn_conv_algo_search` of `m` is `3`; it must be 0 (exhaustive), 1 (heuristic) or 2 (default)",
  },
  { code: "backend/onnx-gpu-parameter", config: parameter("cudnn_conv_algo_search", "3"), graph: plain },
  {
    code: "accelerator/unknown",
    config: accelerated('gpu_execution_accelerator { name: "tensor_rt" }'),
    graph: plain,
    options: gpu,
    message:
      "`m` uses the GPU accelerator `tensor_rt`, which the server's ONNX Runtime backend does not have: tensorrt, cuda",
    at: ".optimization.execution_accelerators.gpu_execution_accelerator[0].name",
  },
  {
    code: "accelerator/unknown",
    config: accelerated('cpu_execution_accelerator { name: "openvino" }'),
    graph: plain,
    options: { installed },
    message:
      "`m` uses the CPU accelerator `openvino`, which the server's ONNX Runtime backend does not have: it has no accelerators",
  },
  {
    code: "accelerator/unknown",
    config: accelerated(
      'gpu_execution_accelerator { name: "tensor_rt" } cpu_execution_accelerator { name: "openvino" }',
    ),
    graph: plain,
  },
  {
    code: "accelerator/cuda-unknown-parameter",
    config: cudaOption("use_tf_32", "0"),
    graph: plain,
    options: gpu,
    message: "ONNX Runtime's CUDA provider has no option `use_tf_32`, which the cuda accelerator of `m` sets",
    at: ".optimization.execution_accelerators.gpu_execution_accelerator[0].parameters.use_tf_32",
  },
  {
    code: "accelerator/cuda-unknown-parameter",
    config: cudaOption("use_tf32", "0"),
    graph: plain,
    options: gpu,
  },
  {
    code: "accelerator/parameter-without-effect",
    config: cudaOption("gpu_mem_limit", "1000000000"),
    graph: plain,
    options: gpu,
    message: "parameter `gpu_mem_limit` of the cuda accelerator of `m` has no effect",
    at: ".optimization.execution_accelerators.gpu_execution_accelerator[0].parameters.gpu_mem_limit",
  },
  {
    code: "accelerator/parameter-without-effect",
    config: accelerated(
      'cpu_execution_accelerator { name: "openvino" parameters { key: "num_of_threads" value: "4" } }',
    ),
    graph: plain,
    message: "parameter `num_of_threads` of the openvino accelerator of `m` has no effect",
  },
  {
    code: "accelerator/parameter-without-effect",
    config: accelerated('cpu_execution_accelerator { name: "openvino" }'),
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
    code: "accelerator/tensorrt-unknown-parameter",
    config: tensorrt("trt_dla_core", "0"),
    graph: plain,
    options: { ...gpu, release: oldest },
    message: "the tensorrt accelerator of `m` has no parameter `trt_dla_core`",
  },
  {
    code: "accelerator/unknown",
    config: cuda("true"),
    graph: plain,
    options: { ...gpu, release: oldest },
    message:
      "`m` uses the GPU accelerator `cuda`, which the server's ONNX Runtime backend does not have: tensorrt",
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("precision_mode", "BF16"),
    graph: plain,
    options: { ...gpu, release: newest },
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("precision_mode", "FP8"),
    graph: plain,
    options: gpu,
    message:
      "parameter `precision_mode` of the tensorrt accelerator of `m` is `FP8`; it must be FP32, FP16, INT8",
  },
  {
    code: "accelerator/parameter-value",
    config: tensorrt("max_workspace_size_bytes", "abc"),
    graph: plain,
    options: gpu,
    message:
      "parameter `max_workspace_size_bytes` of the tensorrt accelerator of `m` is `abc`; it must be a whole number",
  },
  {
    code: "accelerator/parameter-value",
    config: cuda("maybe"),
    graph: plain,
    options: gpu,
    message:
      "parameter `use_ep_level_unified_stream` of the cuda accelerator of `m` is `maybe`; it must be true or false",
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
    message: "`m` lists no outputs, and the PyTorch backend does not complete them",
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
    message:
      "input `A` of `m` is BYTES[4, 1]; the PyTorch backend only accepts one-dimensional lists of strings",
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
    message: "input `A` of `m` must be named `<name>__<index>`, because the model has sequence states",
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
  {
    code: "backend/tensorrt-allocation-strategy",
    config: plan("on_profile_change"),
    message:
      "parameter `execution_context_allocation_strategy` of `m` is `on_profile_change`; it must be STATIC or ON_PROFILE_CHANGE",
    at: ".parameters.execution_context_allocation_strategy",
  },
  { code: "backend/tensorrt-allocation-strategy", config: plan("ON_PROFILE_CHANGE") },
];
