import { createHash } from "node:crypto";
import { compile } from "@tritype/compiler";
import { invariant } from "@tritype/core";
import { defineEnsemble, fp32, onnx, recordOf } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { checkBuild } from "@tritype/project";
import { releaseOf } from "@tritype/triton";
import { expect, test } from "vitest";

const type = fp32("batch", 4);
const model = buildModel(
  { name: "m", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
  (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
);

/** The diagnostics for a step `m` with these accelerators; the first list is for GPUs. */
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
  const record = recordOf(e);
  invariant(record !== undefined, "not an ensemble");
  const { diagnostics, emitted } = compile([record], {
    host: {
      readFile: (path) => (path === "m.onnx" ? model : undefined),
      listFiles: () => undefined,
      sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    },
    siteOf: () => [],
    release,
  });
  expect(diagnostics).toEqual([]);
  const { authors, ours } = checkBuild(emitted, { release });
  expect(ours).toEqual([]);
  return authors.map(
    ({ code, severity, message, help }) =>
      `${severity} ${code}: ${message}${help === undefined ? "" : ` (${help})`}`,
  );
};
const tensorrt = (parameters: object): readonly object[] => [{ name: "tensorrt", parameters }];

test("values that the backend can read are accepted, as numbers, booleans and strings", () => {
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
      "error accelerator/tensorrt-unknown-parameter: the tensorrt accelerator of `m` has no parameter `trt_layernorm_fp32_fallback` (did you mean `trt_layer_norm_fp32_fallback`?)",
    ],
  ],
  [
    "ONNX Runtime's own name",
    [tensorrt({ trt_fp16_enable: true, trt_max_workspace_size: 1 })],
    [
      'error accelerator/tensorrt-unknown-parameter: the tensorrt accelerator of `m` has no parameter `trt_fp16_enable` (Triton calls it `precision_mode: "FP16"`)',
      "error accelerator/tensorrt-unknown-parameter: the tensorrt accelerator of `m` has no parameter `trt_max_workspace_size` (Triton calls it `max_workspace_size_bytes`)",
    ],
  ],
  [
    "a name of every object",
    [tensorrt({ constructor: 1 })],
    ["error accelerator/tensorrt-unknown-parameter: the tensorrt accelerator of `m` has no parameter `constructor`"],
  ],
  [
    "a parameter that came later",
    [tensorrt({ trt_layer_norm_fp32_fallback: true }), [], "24.03"],
    ["error accelerator/tensorrt-unknown-parameter: the tensorrt accelerator of `m` has no parameter `trt_layer_norm_fp32_fallback`"],
  ],
  [
    "an accelerator that came later",
    [[{ name: "cuda" }], [], "24.05"],
    ["error accelerator/unknown: `m` uses the GPU accelerator `cuda`, which the server's ONNX Runtime backend does not have (known: tensorrt)"],
  ],
  [
    "a misspelt accelerator, and one on the other side",
    [[{ name: "tensor_rt" }], [{ name: "tensorrt" }]],
    [
      "error accelerator/unknown: `m` uses the CPU accelerator `tensorrt`, which the server's ONNX Runtime backend does not have (known: openvino)",
      "error accelerator/unknown: `m` uses the GPU accelerator `tensor_rt`, which the server's ONNX Runtime backend does not have (known: tensorrt, cuda) (did you mean `tensorrt`?)",
    ],
  ],
  [
    "values",
    [tensorrt({ precision_mode: "BF16", trt_dla_enable: "yes", trt_dla_core: "first" })],
    [
      "error accelerator/parameter-value: parameter `precision_mode` of the tensorrt accelerator of `m` is `BF16`; it must be one of FP32, FP16, INT8",
      "error accelerator/parameter-value: parameter `trt_dla_core` of the tensorrt accelerator of `m` is `first`; it must be a whole number",
      "error accelerator/parameter-value: parameter `trt_dla_enable` of the tensorrt accelerator of `m` is `yes`; it must be true or false",
    ],
  ],
  ["BF16 where it is", [tensorrt({ precision_mode: "BF16" }), [], "26.02"], []],
  [
    "a part of the sizes",
    [tensorrt({ trt_profile_max_shapes: "x:8x4" })],
    [
      "error accelerator/tensorrt-profile: the sizes of the tensorrt accelerator of `m` lack `trt_profile_min_shapes` and `trt_profile_opt_shapes` (write all three, or none)",
    ],
  ],
  [
    "what Triton overwrites, or does not hand on",
    [
      [{ name: "cuda", parameters: { gpu_mem_limit: 1 } }],
      [{ name: "openvino", parameters: { device: "CPU" } }],
    ],
    [
      "error accelerator/parameter-without-effect: parameter `gpu_mem_limit` of the cuda accelerator of `m` has no effect (Triton overwrites it: write it under `parameters` of the model)",
      "error accelerator/parameter-without-effect: parameter `device` of the openvino accelerator of `m` has no effect (Triton passes no parameters to OpenVINO)",
    ],
  ],
])("%s", (_, given, expected) => {
  expect([...said(...given)].toSorted()).toEqual(
    [...expected].toSorted(),
  );
});
