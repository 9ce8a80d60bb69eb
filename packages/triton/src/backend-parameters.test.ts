import { expect, it } from "vitest";
import { graphLevel, meantParameter } from "./backend-parameters.ts";

it.each([
  ["onnxruntime", "intra_op_thread_cout", "intra_op_thread_count"],
  ["onnxruntime", "intra_op_threads", "intra_op_thread_count"],
  ["onnxruntime", "inter_op_num_threads", "inter_op_thread_count"],
  ["onnxruntime", "INTRA_OP_THREAD_COUNT", "intra_op_thread_count"],
  ["onnxruntime", "enable_cpu_mem_arena", "enable_mem_arena"],
  ["onnxruntime", "intraOpNumThreads", "intra_op_thread_count"],
  ["pytorch", "intra_op_num_threads", "INTRA_OP_THREAD_COUNT"],
  ["pytorch", "DISABLE_OPTIMISED_EXECUTION", "DISABLE_OPTIMIZED_EXECUTION"],
  ["openvino", "NUM_STREAM", "NUM_STREAMS"],
  ["fil", "output_classes", "output_class"],
])("%s: %s means %s", (backend, name, meant) => {
  expect(meantParameter(backend, name, "24.10")).toBe(meant);
});

it.each([
  ["onnxruntime", "execution_mode"],
  ["onnxruntime", "owner"],
  ["onnxruntime", "num_threads"],
  ["onnxruntime", "labels_file"],
  ["python", "intra_op_threads"],
  ["tensorrt", "execution_context_allocation_strategy"],
])("%s: %s may be the author's own", (backend, name) => {
  expect(meantParameter(backend, name, "25.05")).toBeUndefined();
});

it.each([
  ["onnxruntime", "graph_optimization_level", true],
  ["onnxruntime", "session.graph_optimization_level", true],
  ["onnxruntime", "optimization.graph.level", true],
  ["onnxruntime", "graphOptimizationLevel", true],
  ["onnxruntime", "optimization_level", true],
  ["onnxruntime", "optimization", false],
  ["onnxruntime", "log_level", false],
  ["openvino", "graph_optimization_level", false],
])("%s: %s is the level of graph optimizations: %s", (backend, name, means) => {
  expect(meantParameter(backend, name, "25.05") === graphLevel).toBe(means);
});
