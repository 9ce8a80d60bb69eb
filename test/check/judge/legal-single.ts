import type { DataType, ModelConfig, ModelInput, ModelInstanceGroup, ModelOutput } from "@tritype/triton";
import * as fc from "fast-check";
import type { Draft, ModelDraft } from "./draft.ts";
import { metricTags, parameters, strayFiles, varied } from "./varied.ts";

export const dataTypes: readonly DataType[] = [
  "TYPE_BOOL",
  "TYPE_UINT8",
  "TYPE_UINT16",
  "TYPE_UINT32",
  "TYPE_UINT64",
  "TYPE_INT8",
  "TYPE_INT16",
  "TYPE_INT32",
  "TYPE_INT64",
  "TYPE_FP16",
  "TYPE_FP32",
  "TYPE_FP64",
  "TYPE_STRING",
  "TYPE_BF16",
];

const platforms: Readonly<Record<string, string>> = {
  tensorrt: "tensorrt_plan",
  onnxruntime: "onnxruntime_onnx",
  pytorch: "pytorch_libtorch",
  tensorflow: "tensorflow_savedmodel",
};

export const dataType: fc.Arbitrary<DataType> = fc.constantFrom(...dataTypes);
export const dim: fc.Arbitrary<number> = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(-1));
export const dims: fc.Arbitrary<readonly number[]> = fc.array(dim, { minLength: 1, maxLength: 4 });

/** Triton compares the products between the -1s: each group of factors may be written differently. */
const reshape = (shape: readonly number[]): readonly number[] => {
  const groups = shape.join(",").split("-1");
  return groups
    .map((group) => group.split(",").filter(Boolean).map(Number))
    .flatMap((factors, index) => [
      ...(index > 0 ? [-1] : []),
      ...(factors.length > 1 ? [factors.reduce((a, b) => a * b), 1] : factors),
    ]);
};

const tensor = fc
  .record({ data_type: dataType, dims, reshaped: fc.integer({ min: 0, max: 5 }) })
  .map(({ reshaped, dims, data_type }) => ({
    data_type,
    dims,
    ...(reshaped === 0 ? { reshape: { shape: reshape(dims) } } : {}),
  }));

const named = <T extends object>(tensors: readonly T[], prefix: string): readonly (T & { name: string })[] =>
  tensors.map((one, index) => ({ name: `${prefix}${index}`, ...one }));

const inputs: fc.Arbitrary<readonly ModelInput[]> = fc
  .array(tensor, { minLength: 1, maxLength: 3 })
  .map((tensors) => named(tensors, "IN"));
const outputs: fc.Arbitrary<readonly ModelOutput[]> = fc
  .array(tensor, { minLength: 1, maxLength: 3 })
  .map((tensors) => named(tensors, "OUT"));

const group: fc.Arbitrary<ModelInstanceGroup> = fc.record(
  {
    kind: fc.constantFrom("KIND_CPU", "KIND_MODEL", "KIND_AUTO"),
    count: fc.integer({ min: -1, max: 2 }),
    host_policy: fc.constantFrom("p", "gpu_0"),
    passive: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const queuePolicy = fc.record(
  {
    timeout_action: fc.constantFrom("REJECT", "DELAY"),
    default_timeout_microseconds: fc.nat(1000),
    allow_timeout_override: fc.boolean(),
    max_queue_size: fc.nat(10),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const dynamicBatching = (largest: number) =>
  fc
    .record(
      {
        preferred_batch_size: fc.array(fc.integer({ min: 1, max: Math.max(1, largest) }), {
          minLength: 1,
          maxLength: 3,
        }),
        max_queue_delay_microseconds: fc.nat(1000),
        default_queue_policy: queuePolicy,
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map(({ preferred_batch_size, ...rest }) =>
      largest > 0 && preferred_batch_size ? { ...rest, preferred_batch_size } : rest,
    );

const extras: fc.Arbitrary<ModelConfig> = fc.record(
  {
    instance_group: fc.array(group, { minLength: 1, maxLength: 2 }),
    parameters,
    metric_tags: metricTags,
    response_cache: fc.record({ enable: fc.boolean() }),
    optimization: fc.constantFrom(
      { priority: "PRIORITY_MAX" as const },
      { graph: { level: 1 } },
      { execution_accelerators: { cpu_execution_accelerator: [{ name: "unknown" }] } },
      { input_pinned_memory: { enable: false } },
    ),
    version_policy: fc.constantFrom(
      { all: {} },
      { latest: { num_versions: 2 } },
      { specific: { versions: [1] } },
      {},
    ),
    model_operations: fc.constant({ op_library_filename: ["x.so"] }),
    cc_model_filenames: fc.constant({ "8.6": "m.plan" }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const modelName: fc.Arbitrary<string> = fc.constantFrom(
  "m",
  "model_1",
  "has.dot",
  "-dash",
  "_under",
  "A-b_9",
);

/** One model for a stub backend; its version folders are 1 and perhaps 2 and 10. */
export const legalSingle: fc.Arbitrary<Draft> = fc
  .record({
    name: modelName,
    backend: fc.constantFrom("openvino", "tensorrt", "pytorch", "tensorflow", "vllm", "fil"),
    platform: fc.boolean(),
    largest: fc.constantFrom(0, 1, 4, 8),
    scheduled: fc.boolean(),
    input: inputs,
    output: outputs,
    extras,
    versions: fc.constantFrom(["1/"], ["1/", "2/"], ["1/", "10/", "abc/"], ["1/", "1/deep/"]),
    stray: strayFiles,
  })
  .chain(({ name, backend, platform, largest, scheduled, input, output, extras, versions, stray }) =>
    (scheduled ? dynamicBatching(largest) : fc.constant(undefined)).map((dynamic): Draft => {
      const needsPlatform = backend === "tensorflow" || platform;
      const config: ModelConfig = {
        backend,
        ...(needsPlatform && platforms[backend] ? { platform: platforms[backend] } : {}),
        max_batch_size: largest,
        input,
        output,
        ...extras,
        ...(dynamic ? { dynamic_batching: dynamic } : {}),
      };
      const folders = Object.fromEntries(versions.map((folder) => [folder, ""]));
      return [{ name, config, files: { ...folders, ...stray } }];
    }),
  );

/** As plain as possible: the starting point of faults about a single field. */
export const plainModel = (name: string, config: ModelConfig): ModelDraft => ({
  name,
  config,
  files: { "1/": "" },
});

const pythonModel = (before: string): string => `import triton_python_backend_utils as pb_utils
class TritonPythonModel:
${before}    def execute(self, requests):
        return [pb_utils.InferenceResponse([]) for _ in requests]
`;

/** A model for the real python backend, which answers warmup requests. */
export const legalPython: fc.Arbitrary<Draft> = varied(
  fc
    .record({
      name: modelName,
      largest: fc.constantFrom(0, 4, 8),
      input: tensor,
      output: tensor,
      source: fc
        .constantFrom(
          "",
          "    def initialize(self, args):\n        self.name = args['model_name']\n",
          "    def finalize(self):\n        pass\n",
        )
        .map(pythonModel),
    })
    .map(({ name, largest, input, output, source }) => [
      {
        name,
        config: {
          backend: "python",
          max_batch_size: largest,
          input: [{ name: "IN0", ...input }],
          output: [{ name: "OUT0", ...output }],
          instance_group: [{ kind: "KIND_CPU" }],
        },
        files: { "1/model.py": source },
      },
    ]),
);
