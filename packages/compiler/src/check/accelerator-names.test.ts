import type { CudaParameters, TensorrtParameters } from "@tritype/dsl";
import { onnxAccelerators } from "@tritype/triton";
import { expect, test } from "vitest";

const newest = onnxAccelerators("26.08");
const namesOf = (name: string): readonly string[] => {
  const { parameters = {}, overwritten = {} } = newest.get(name) ?? {};
  return [...Object.keys(parameters), ...Object.keys(overwritten)].toSorted();
};
/** Each name in the interface. The compiler checks that none is missing. */
const tensorrt: Record<keyof TensorrtParameters, true> = {
  precision_mode: true,
  max_workspace_size_bytes: true,
  int8_calibration_table_name: true,
  int8_use_native_calibration_table: true,
  trt_engine_cache_enable: true,
  trt_engine_cache_path: true,
  trt_engine_cache_prefix: true,
  trt_layer_norm_fp32_fallback: true,
  trt_profile_min_shapes: true,
  trt_profile_opt_shapes: true,
  trt_profile_max_shapes: true,
  trt_timing_cache_enable: true,
  trt_timing_cache_path: true,
  trt_force_timing_cache: true,
  trt_builder_optimization_level: true,
  trt_build_heuristics_enable: true,
  trt_sparsity_enable: true,
  trt_auxiliary_streams: true,
  trt_tactic_sources: true,
  trt_extra_plugin_lib_paths: true,
  trt_max_partition_iterations: true,
  trt_min_subgraph_size: true,
  trt_dla_enable: true,
  trt_dla_core: true,
  trt_force_sequential_engine_build: true,
  trt_context_memory_sharing_enable: true,
  trt_cuda_graph_enable: true,
  trt_dump_subgraphs: true,
  trt_detailed_build_log: true,
  trt_dump_ep_context_model: true,
  trt_ep_context_file_path: true,
  trt_ep_context_embed_mode: true,
};
const cuda: Record<keyof CudaParameters, true> = {
  use_ep_level_unified_stream: true,
  cudnn_conv_use_max_workspace: true,
  cudnn_conv1d_pad_to_nc1d: true,
  enable_cuda_graph: true,
  enable_skip_layer_norm_strict_mode: true,
  prefer_nhwc: true,
  use_tf32: true,
  fuse_conv_bias: true,
  sdpa_kernel: true,
  tunable_op_enable: true,
  tunable_op_tuning_enable: true,
  tunable_op_max_tuning_duration_ms: true,
  gpu_mem_limit: true,
  arena_extend_strategy: true,
  cudnn_conv_algo_search: true,
  do_copy_in_default_stream: true,
};

test("the DSL's types have exactly the options that the backend reads", () => {
  expect(Object.keys(tensorrt).toSorted()).toEqual(namesOf("tensorrt"));
  expect(Object.keys(cuda).toSorted()).toEqual(namesOf("cuda"));
});
