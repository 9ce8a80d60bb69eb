import type { ModelConfig } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import { sessionOptions } from "../session-options.ts";
import { gpuProviders } from "./gpu-providers.ts";
import { unheardOptions } from "./unheard-options.ts";

const device = { kind: "cuda", deviceId: 1, tensorrt: true } as const;

type Parameters = Readonly<Record<string, string>>;

const withParameters = (values: Parameters): ModelConfig => ({
  parameters: Object.fromEntries(
    Object.entries(values).map(([key, string_value]) => [key, { string_value }]),
  ),
});
const withAccelerators = (
  ...all: readonly (readonly [name: string, parameters?: Parameters])[]
): ModelConfig => ({
  optimization: {
    execution_accelerators: {
      gpu_execution_accelerator: all.map(([name, parameters = {}]) => ({ name, parameters })),
    },
  },
});
const shown = (config: ModelConfig): readonly string[] =>
  gpuProviders(config, device).map(({ name, deviceId, options }) =>
    [`${name} on ${deviceId}`, ...Object.entries(options).map(([key, value]) => `${key}=${value}`)].join(" "),
  );

test.each<[what: string, config: ModelConfig, providers: readonly string[]]>([
  ["nothing", {}, ["cuda on 1"]],
  ["gpu_mem_limit", withParameters({ gpu_mem_limit: "1000000" }), ["cuda on 1 gpu_mem_limit=1000000"]],
  [
    "exhaustive convolutions",
    withParameters({ cudnn_conv_algo_search: "0" }),
    ["cuda on 1 cudnn_conv_algo_search=EXHAUSTIVE"],
  ],
  [
    "heuristic convolutions",
    withParameters({ cudnn_conv_algo_search: "1" }),
    ["cuda on 1 cudnn_conv_algo_search=HEURISTIC"],
  ],
  [
    "default convolutions",
    withParameters({ cudnn_conv_algo_search: "2" }),
    ["cuda on 1 cudnn_conv_algo_search=DEFAULT"],
  ],
  [
    "powers of two",
    withParameters({ arena_extend_strategy: "0" }),
    ["cuda on 1 arena_extend_strategy=kNextPowerOfTwo"],
  ],
  [
    "as requested",
    withParameters({ arena_extend_strategy: "1" }),
    ["cuda on 1 arena_extend_strategy=kSameAsRequested"],
  ],
  [
    "the default stream",
    withParameters({ do_copy_in_default_stream: "0" }),
    ["cuda on 1 do_copy_in_default_stream=0"],
  ],
  ["parameters of the session", withParameters({ intra_op_thread_count: "2", other: "x" }), ["cuda on 1"]],
  [
    "the cuda accelerator passes its options on",
    withAccelerators([
      "cuda",
      { gpu_mem_limit: "7", use_tf32: "0", do_copy_in_default_stream: "true", empty: "" },
    ]),
    ["cuda on 1 gpu_mem_limit=7 use_tf32=0 do_copy_in_default_stream=true"],
  ],
  [
    "parameters win over the cuda accelerator",
    { ...withAccelerators(["cuda", { gpu_mem_limit: "7" }]), ...withParameters({ gpu_mem_limit: "8" }) },
    ["cuda on 1 gpu_mem_limit=8"],
  ],
  ["TensorRT before CUDA", withAccelerators(["tensorrt"]), ["tensorrt on 1", "cuda on 1"]],
  [
    "both accelerators",
    withAccelerators(["cuda", { gpu_mem_limit: "7" }], ["tensorrt", { precision_mode: "FP16" }]),
    ["tensorrt on 1 trt_fp16_enable=1", "cuda on 1 gpu_mem_limit=7"],
  ],
  ["FP32", withAccelerators(["tensorrt", { precision_mode: "FP32" }]), ["tensorrt on 1", "cuda on 1"]],
  [
    "BF16",
    withAccelerators(["tensorrt", { precision_mode: "BF16" }]),
    ["tensorrt on 1 trt_bf16_enable=1", "cuda on 1"],
  ],
  [
    "INT8 with its table",
    withAccelerators([
      "tensorrt",
      {
        precision_mode: "INT8",
        int8_calibration_table_name: "table",
        int8_use_native_calibration_table: "true",
      },
    ]),
    [
      "tensorrt on 1 trt_int8_enable=1 trt_int8_calibration_table_name=table trt_int8_use_native_calibration_table=true",
      "cuda on 1",
    ],
  ],
  [
    "the workspace",
    withAccelerators(["tensorrt", { max_workspace_size_bytes: "1073741824" }]),
    ["tensorrt on 1 trt_max_workspace_size=1073741824", "cuda on 1"],
  ],
  [
    "options with the same name in ONNX Runtime",
    withAccelerators([
      "tensorrt",
      {
        trt_engine_cache_enable: "True",
        trt_engine_cache_path: "/tmp/engines",
        trt_builder_optimization_level: "5",
        trt_profile_min_shapes: "x:1x4",
        trt_engine_cache_prefix: "",
      },
    ]),
    [
      "tensorrt on 1 trt_engine_cache_enable=True trt_engine_cache_path=/tmp/engines trt_builder_optimization_level=5 trt_profile_min_shapes=x:1x4",
      "cuda on 1",
    ],
  ],
])("%s", (_, config, providers) => {
  expect(shown(config)).toEqual(providers);
});

test.each<[config: ModelConfig, message: string]>([
  [withAccelerators(["openvino"]), "unknown Execution Accelerator 'openvino' is requested"],
  [
    withAccelerators(["tensorrt", { workspace: "1" }]),
    "unknown parameter 'workspace' is provided for TensorRT Execution Accelerator",
  ],
  [
    withAccelerators(["tensorrt", { toString: "1" }]),
    "unknown parameter 'toString' is provided for TensorRT Execution Accelerator",
  ],
  [
    withAccelerators(["tensorrt", { precision_mode: "FP8" }]),
    "unsupported precision mode 'FP8' is requested",
  ],
  [
    withAccelerators(["tensorrt", { max_workspace_size_bytes: "abc" }]),
    "failed to convert 'abc' to unsigned long long integral number",
  ],
  [withAccelerators(["tensorrt", { trt_dla_core: "one" }]), "failed to convert 'one' to integral number"],
  [withAccelerators(["tensorrt", { trt_dla_enable: "yes" }]), "failed to convert 'yes' to boolean"],
  [withAccelerators(["cuda", { do_copy_in_default_stream: "yes" }]), "failed to convert 'yes' to boolean"],
  [
    withParameters({ cudnn_conv_algo_search: "3" }),
    "unsupported cudnn_conv_algo_search value '3' is requested",
  ],
  [
    withParameters({ arena_extend_strategy: "2" }),
    "unsupported arena_extend_strategy value '2' is requested",
  ],
])("an invalid configuration is rejected with Triton's message: %j", (config, message) => {
  expect(() => gpuProviders(config, device)).toThrow(message);
});

test("without TensorRT, its parameters are still checked, and CUDA runs the model", () => {
  const without = { ...device, tensorrt: false };
  expect(gpuProviders(withAccelerators(["tensorrt", { precision_mode: "FP16" }]), without)).toEqual([
    { name: "cuda", deviceId: 1, options: {} },
  ]);
  expect(() => gpuProviders(withAccelerators(["tensorrt", { x: "1" }]), without)).toThrow(
    "unknown parameter",
  );
});

describe("session options", () => {
  const config = {
    ...withAccelerators(["tensorrt", { precision_mode: "FP16" }]),
    ...withParameters({ gpu_mem_limit: "9" }),
  };
  test("session options name the device and the options of each provider", () => {
    expect(sessionOptions(config, device, 1).executionProviders).toEqual([
      { name: "tensorrt", deviceId: 1, trt_fp16_enable: "1" },
      { name: "cuda", deviceId: 1, gpu_mem_limit: "9" },
    ]);
  });
  test("session options contain the initializers' allocator, which the binding does forward", () => {
    const key = "session.use_device_allocator_for_initializers";
    expect(sessionOptions(withParameters({ [key]: "1" }), device, 1).extra).toMatchObject({
      session: { use_device_allocator_for_initializers: "1" },
    });
  });
  test("on the CPU, session options do not contain the GPU's options", () => {
    const wrong = withAccelerators(["openvino"]);
    expect(sessionOptions(wrong, { kind: "cpu" }, 1).executionProviders).toEqual(["cpu"]);
  });
  test("options that the binding does not forward are reported", () => {
    expect(unheardOptions("m", gpuProviders(config, device))).toBe(
      "model 'm' runs with the defaults of trt_fp16_enable, gpu_mem_limit: onnxruntime-node only passes the device to its GPU providers, whereas Triton passes all options",
    );
    expect(unheardOptions("m", gpuProviders({}, device))).toBeUndefined();
  });
});
