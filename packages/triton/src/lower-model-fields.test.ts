import { describe, expect, it } from "vitest";
import { lowerModelFields } from "./lower-model-fields.ts";

const lowered: readonly (readonly [what: string, fields: object, config: object])[] = [
  ["nothing", { maxBatchSize: undefined }, {}],
  [
    "enums",
    { instanceGroup: [{ kind: "cpu" }, { kind: "KIND_GPU" }] },
    { instance_group: [{ kind: "KIND_CPU" }, { kind: "KIND_GPU" }] },
  ],
  [
    "an enum value without its prefix",
    { dynamicBatching: { defaultQueuePolicy: { timeoutAction: "delay" } } },
    { dynamic_batching: { default_queue_policy: { timeout_action: "DELAY" } } },
  ],
  [
    "an enum value of several words",
    { batchInput: [{ kind: "elementCount" }] },
    { batch_input: [{ kind: "BATCH_ELEMENT_COUNT" }] },
  ],
  [
    "data types by their protocol names",
    { input: [{ dataType: "BYTES" }, { dataType: "fp32" }] },
    { input: [{ data_type: "TYPE_STRING" }, { data_type: "TYPE_FP32" }] },
  ],
  [
    "milliseconds",
    { dynamicBatching: { maxQueueDelay: "2.5ms" } },
    { dynamic_batching: { max_queue_delay_microseconds: 2500 } },
  ],
  [
    "seconds",
    { sequenceBatching: { maxSequenceIdle: "1s" } },
    { sequence_batching: { max_sequence_idle_microseconds: 1_000_000 } },
  ],
  [
    "a field with its unit in the name",
    { dynamicBatching: { maxQueueDelayMicroseconds: 7 } },
    { dynamic_batching: { max_queue_delay_microseconds: 7 } },
  ],
  [
    "a oneof by its members",
    { versionPolicy: { latest: { numVersions: 2 } } },
    { version_policy: { latest: { num_versions: 2 } } },
  ],
  [
    "a oneof by its name",
    { sequenceBatching: { strategy: { oldest: { maxCandidateSequences: 4 } } } },
    { sequence_batching: { oldest: { max_candidate_sequences: 4 } } },
  ],
  [
    "parameters",
    { parameters: { A: "x", B: true, C: 1e21, D: 2.5e-7, E: -12.5e-9 } },
    {
      parameters: {
        A: { string_value: "x" },
        B: { string_value: "true" },
        C: { string_value: "1000000000000000000000" },
        D: { string_value: "0.00000025" },
        E: { string_value: "-0.0000000125" },
      },
    },
  ],
  [
    "parameters of accelerators",
    {
      optimization: {
        priority: "max",
        executionAccelerators: {
          gpuExecutionAccelerator: [
            { name: "tensorrt", parameters: { max_workspace_size_bytes: 1073741824 } },
          ],
        },
      },
    },
    {
      optimization: {
        priority: "PRIORITY_MAX",
        execution_accelerators: {
          gpu_execution_accelerator: [
            { name: "tensorrt", parameters: { max_workspace_size_bytes: "1073741824" } },
          ],
        },
      },
    },
  ],
  [
    "numbers as keys",
    { dynamicBatching: { priorityQueuePolicy: { 2: { maxQueueSize: 1 } } } },
    { dynamic_batching: { priority_queue_policy: { "2": { max_queue_size: 1 } } } },
  ],
  ["bigints", { input: [{ dims: [4n] }] }, { input: [{ dims: [4] }] }],
  [
    "empty messages",
    { dynamicBatching: {}, versionPolicy: { all: {} } },
    { dynamic_batching: {}, version_policy: { all: {} } },
  ],
];

const refused: readonly (readonly [what: string, fields: object, path: string, message: string])[] = [
  [
    "an unknown field",
    { maxBatchSise: 1 },
    "maxBatchSise",
    "maxBatchSise is not a field of ModelConfig; did you mean maxBatchSize?",
  ],
  [
    "an unknown nested field",
    { instanceGroup: [{}, { coun: 1 }] },
    "instanceGroup[1].coun",
    "instanceGroup[1].coun is not a field of ModelInstanceGroup; did you mean count?",
  ],
  [
    "an unknown duration",
    { dynamicBatching: { maxQueueDelai: "1ms" } },
    "dynamicBatching.maxQueueDelai",
    "dynamicBatching.maxQueueDelai is not a field of ModelDynamicBatching; did you mean maxQueueDelay?",
  ],
  [
    "the end of a longer name",
    { optimization: { accelerators: {} } },
    "optimization.accelerators",
    "optimization.accelerators is not a field of ModelOptimizationPolicy; did you mean executionAccelerators?",
  ],
  [
    "a field one level deeper",
    { executionAcceleraters: {} },
    "executionAcceleraters",
    "executionAcceleraters is not a field of ModelConfig; did you mean optimization.executionAccelerators?",
  ],
  [
    "an unknown enum value",
    { instanceGroup: [{ kind: "cup" }] },
    "instanceGroup[0].kind",
    'instanceGroup[0].kind must be one of "auto", "gpu", "cpu", "model", got "cup"',
  ],
  [
    "a duration without unit",
    { dynamicBatching: { maxQueueDelay: 2 } },
    "dynamicBatching.maxQueueDelay",
    'dynamicBatching.maxQueueDelay must be a duration in whole microseconds such as "2ms", "500us" or "1s", got 2',
  ],
  [
    "a duration below a microsecond",
    { dynamicBatching: { maxQueueDelay: "0.5us" } },
    "dynamicBatching.maxQueueDelay",
    'dynamicBatching.maxQueueDelay must be a duration in whole microseconds such as "2ms", "500us" or "1s", got "0.5us"',
  ],
  [
    "two schedulers",
    { dynamicBatching: {}, sequenceBatching: {} },
    "",
    "dynamicBatching and sequenceBatching are mutually exclusive",
  ],
  [
    "two version policies",
    { versionPolicy: { all: {}, latest: {} } },
    "versionPolicy",
    "versionPolicy: all and latest are mutually exclusive",
  ],
  [
    "an unknown strategy",
    { sequenceBatching: { strategy: { oldes: {} } } },
    "sequenceBatching.strategy.oldes",
    "sequenceBatching.strategy.oldes is not one of direct, oldest; did you mean oldest?",
  ],
  [
    "two strategies",
    { sequenceBatching: { strategy: { direct: {}, oldest: {} } } },
    "sequenceBatching.strategy",
    'sequenceBatching.strategy must be one of { direct }, { oldest }, got {"direct":{},"oldest":{}}',
  ],
  [
    "a fraction",
    { maxBatchSize: 1.5 },
    "maxBatchSize",
    "maxBatchSize must be a whole number that fits int32, got 1.5",
  ],
  [
    "a number that is too large",
    { maxBatchSize: 2 ** 31 },
    "maxBatchSize",
    "maxBatchSize must be a whole number that fits int32, got 2147483648",
  ],
  ["a string for a number", { maxBatchSize: "4" }, "maxBatchSize", 'maxBatchSize must be a number, got "4"'],
  ["one value for a list", { instanceGroup: {} }, "instanceGroup", "instanceGroup must be a list, got {}"],
  ["null", { dynamicBatching: null }, "dynamicBatching", "dynamicBatching must be an object, got null"],
  [
    "NaN as a parameter",
    { parameters: { A: Number.NaN } },
    "parameters.A",
    "parameters.A must be a string, a finite number or a boolean, got NaN",
  ],
  [
    "a key that is not a number",
    { dynamicBatching: { priorityQueuePolicy: { a: {} } } },
    "dynamicBatching.priorityQueuePolicy.a",
    'dynamicBatching.priorityQueuePolicy.a must be under a key that is a whole number, got "a"',
  ],
  [
    "the name of a property of Object.prototype",
    { toString: 1 },
    "toString",
    "toString is not a field of ModelConfig",
  ],
];

describe("lowerModelFields", () => {
  it.each(lowered)("lowers %s", (_, fields, config) => {
    expect(lowerModelFields(fields)).toEqual({ config });
  });

  it.each(refused)("refuses %s", (_, fields, path, message) => {
    expect(lowerModelFields(fields)).toEqual({ problem: { path, message } });
  });
});
