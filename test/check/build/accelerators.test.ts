import { defineEnsemble, fp32, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { releaseOf } from "@tritype/triton";
import { expect, test } from "vitest";
import { compileInMemory } from "../compile.fixture.ts";

const type = fp32("batch", 4);
const model = buildModel(
  { name: "m", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
  (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
);

/** The diagnostics of a step `m` with these accelerators; the first list is for GPUs. */
const said = (gpu: readonly object[], cpu: readonly object[] = [], target = "24.10"): readonly string[] => {
  const m = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { x: type },
    outputs: { y: type },
    optimization: {
      executionAccelerators: { gpuExecutionAccelerator: gpu as never, cpuExecutionAccelerator: cpu as never },
    },
  });
  const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: { x: type }, run: (inputs) => m(inputs) });
  const release = releaseOf(target);
  if (release === undefined) throw new Error(target);
  return compileInMemory([e], { "m.onnx": model }, { release }).diagnostics.map(
    ({ code, message, help }) =>
      `${code}: ${message.replace("configuration of `m`: ", "")}${help === undefined ? "" : ` (${help})`}`,
  );
};
const tensorrt = (parameters: object): readonly object[] => [{ name: "tensorrt", parameters }];

test("values that the backend reads pass, as numbers, booleans and texts", () => {
  expect(
    said(
      [
        ...tensorrt({
          precision_mode: "FP16",
          trt_layer_norm_fp32_fallback: true,
          max_workspace_size_bytes: 4294967296,
          trt_engine_cache_enable: "1",
          trt_engine_cache_path: "/cache",
          trt_profile_min_shapes: "x:1x4",
          trt_profile_opt_shapes: "x:4x4",
          trt_profile_max_shapes: "x:8x4",
        }),
        { name: "cuda", parameters: { use_tf32: false, tunable_op_max_tuning_duration_ms: 10 } },
      ],
      [{ name: "openvino" }],
    ),
  ).toEqual([]);
});

test.each<[string, Parameters<typeof said>, readonly string[]]>([
  [
    "a name that is nearly one",
    [tensorrt({ trt_layernorm_fp32_fallback: true })],
    [
      "the accelerator `tensorrt` has no parameter `trt_layernorm_fp32_fallback` in Triton 24.10 (did you mean `trt_layer_norm_fp32_fallback`?)",
    ],
  ],
  [
    "ONNX Runtime's own name",
    [tensorrt({ trt_fp16_enable: true, trt_max_workspace_size: 1 })],
    [
      'the accelerator `tensorrt` has no parameter `trt_fp16_enable` in Triton 24.10 (Triton calls it `precision_mode: "FP16"`)',
      "the accelerator `tensorrt` has no parameter `trt_max_workspace_size` in Triton 24.10 (Triton calls it `max_workspace_size_bytes`)",
    ],
  ],
  [
    "a name of every object",
    [tensorrt({ constructor: 1 })],
    ["the accelerator `tensorrt` has no parameter `constructor` in Triton 24.10"],
  ],
  [
    "a parameter that came later",
    [tensorrt({ trt_layer_norm_fp32_fallback: true }), [], "24.03"],
    ["the accelerator `tensorrt` has no parameter `trt_layer_norm_fp32_fallback` in Triton 24.03"],
  ],
  [
    "an accelerator that came later",
    [[{ name: "cuda" }], [], "24.05"],
    ["ONNX Runtime in Triton 24.05 has no GPU accelerator `cuda` (it has tensorrt)"],
  ],
  [
    "a misspelt accelerator, and one on the other side",
    [[{ name: "tensor_rt" }], [{ name: "tensorrt" }]],
    [
      "ONNX Runtime in Triton 24.10 has no CPU accelerator `tensorrt` (it has openvino)",
      "ONNX Runtime in Triton 24.10 has no GPU accelerator `tensor_rt` (did you mean `tensorrt`?)",
    ],
  ],
  [
    "values",
    [tensorrt({ precision_mode: "BF16", trt_dla_enable: "yes", trt_dla_core: "first" })],
    [
      "`precision_mode` of the accelerator `tensorrt` is `BF16`; it must be FP32, FP16, INT8",
      "`trt_dla_core` of the accelerator `tensorrt` is `first`; it must be a whole number",
      "`trt_dla_enable` of the accelerator `tensorrt` is `yes`; it must be true or false",
    ],
  ],
  ["BF16 where it is", [tensorrt({ precision_mode: "BF16" }), [], "26.02"], []],
  [
    "a part of the sizes",
    [tensorrt({ trt_profile_max_shapes: "x:8x4" })],
    [
      "the sizes of the accelerator `tensorrt` lack `trt_profile_min_shapes` and `trt_profile_opt_shapes` (write all three, or none: then they come from the samples of the ensemble's `warmup`)",
    ],
  ],
  [
    "what Triton overwrites, or does not hand on",
    [
      [{ name: "cuda", parameters: { gpu_mem_limit: 1 } }],
      [{ name: "openvino", parameters: { device: "CPU" } }],
    ],
    [
      "the accelerator `cuda` takes no `gpu_mem_limit` in Triton 24.10 (Triton overwrites it: write it under `parameters` of the step)",
      "the accelerator `openvino` has no parameter `device` in Triton 24.10 (Triton passes no parameters to OpenVINO)",
    ],
  ],
])("%s", (_, given, expected) => {
  expect([...said(...given)].toSorted()).toEqual(
    expected.map((text) => `model/bad-field: ${text}`).toSorted(),
  );
});
