import type { BatchInput, BatchOutput, ModelDynamicBatching, ModelQueuePolicy } from "@tritype/triton";
import { all, append, clear, type Edit, each, set } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalPython, legalSingle } from "./legal-single.ts";

const base = legalSingle.map(all(clear("dynamic_batching"), set({ max_batch_size: 4 })));
const dynamic = (fields: ModelDynamicBatching): Edit => set({ dynamic_batching: fields });
const dynamics = (...fields: readonly ModelDynamicBatching[]): readonly Edit[] => fields.map(dynamic);
const policy: ModelQueuePolicy = { timeout_action: "REJECT", default_timeout_microseconds: 5 };
const delayed: ModelQueuePolicy = { timeout_action: "DELAY", default_timeout_microseconds: 5 };
const batchInput = (fields: BatchInput): Edit =>
  set({
    batch_input: [
      {
        kind: "BATCH_ELEMENT_COUNT",
        target_name: ["COUNT"],
        data_type: "TYPE_FP32",
        source_input: ["IN0"],
        ...fields,
      },
    ],
  });
const batchOutput = (fields: BatchOutput): Edit =>
  set({
    batch_output: [
      { kind: "BATCH_SCATTER_WITH_INPUT_SHAPE", target_name: ["OUT0"], source_input: ["IN0"], ...fields },
    ],
  });

/** Rules 66 to 78: batching. */
export const batchFaults: readonly Fault[] = [
  {
    rule: "66",
    about: "a negative batch",
    on: legalSingle.map(clear("dynamic_batching")),
    says: /'max_batch_size' must be non-negative value/,
    refused: each(-1, -4, -2147483648).map((max_batch_size) => set({ max_batch_size })),
    accepted: each(0, 1, 2147483647).map((max_batch_size) => set({ max_batch_size })),
  },
  {
    rule: "67",
    about: "a preferred size that is none",
    on: base,
    says: /preferred size must be positive/,
    refused: each([0], [-1], [2, 0], [-5, 4]).map((preferred_batch_size) =>
      dynamic({ preferred_batch_size }),
    ),
    accepted: each([1], [4], [1, 1], [4, 2]).map((preferred_batch_size) => dynamic({ preferred_batch_size })),
  },
  {
    rule: "68",
    about: "a preferred size over the maximum",
    on: base,
    says: /preferred size must be <= max batch size/,
    refused: each(
      dynamic({ preferred_batch_size: [5] }),
      dynamic({ preferred_batch_size: [2, 8] }),
      all(clear("max_batch_size"), dynamic({ preferred_batch_size: [1] })),
    ),
    accepted: dynamics({ preferred_batch_size: [4] }, { preferred_batch_size: [1, 2, 3] }),
  },
  {
    rule: "69",
    about: "dynamic batching without batches",
    on: base,
    accepted: each(
      all(set({ max_batch_size: 0 }), dynamic({})),
      all(clear("max_batch_size"), dynamic({ max_queue_delay_microseconds: 5 })),
    ),
  },
  {
    rule: "70",
    about: "no default priority",
    on: base,
    says: /default priority level must be in range \[1, /,
    refused: dynamics(
      { priority_levels: 2 },
      { priority_levels: 2, default_priority_level: 3 },
      { priority_levels: 1, default_priority_level: 0 },
    ),
    accepted: dynamics(
      { priority_levels: 2, default_priority_level: 1 },
      { priority_levels: 2, default_priority_level: 2 },
    ),
  },
  {
    rule: "71",
    about: "a policy for no priority",
    on: base,
    says: /priority queue policy must have priority level in range/,
    refused: dynamics(
      { priority_levels: 2, default_priority_level: 1, priority_queue_policy: { 3: policy } },
      { priority_levels: 1, default_priority_level: 1, priority_queue_policy: { 0: policy } },
    ),
    accepted: dynamics({
      priority_levels: 2,
      default_priority_level: 1,
      priority_queue_policy: { 1: policy, 2: delayed },
    }),
  },
  {
    rule: "72",
    about: "priorities unused",
    on: base,
    accepted: dynamics(
      { default_priority_level: 7 },
      { priority_queue_policy: { 9: policy } },
      { priority_levels: 0, default_priority_level: 1 },
    ),
  },
  {
    rule: "73",
    about: "order and priorities",
    on: base,
    says: /Only one priority level is allowed when 'preserve_ordering' is true/,
    refused: dynamics({ preserve_ordering: true, priority_levels: 2, default_priority_level: 1 }),
    accepted: dynamics(
      { preserve_ordering: true, priority_levels: 1, default_priority_level: 1 },
      { preserve_ordering: false, priority_levels: 2, default_priority_level: 1 },
      { preserve_ordering: true },
    ),
  },
  {
    rule: "74",
    about: "order and delay",
    on: base,
    says: /Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true/,
    refused: dynamics(
      { preserve_ordering: true, default_queue_policy: delayed },
      {
        preserve_ordering: true,
        priority_levels: 1,
        default_priority_level: 1,
        priority_queue_policy: { 1: delayed },
      },
    ),
    accepted: dynamics(
      { preserve_ordering: true, default_queue_policy: { timeout_action: "DELAY" } },
      { preserve_ordering: true, default_queue_policy: policy },
      { default_queue_policy: delayed },
    ),
  },
  {
    rule: "75",
    about: "batch inputs",
    on: base,
    says: /batch input|unknown source/i,
    refused: each(
      batchInput({ source_input: [] }),
      batchInput({ source_input: ["IN0", "IN0"] }),
      batchInput({ source_input: ["nope"] }),
      batchInput({ data_type: "TYPE_INT64" }),
      batchInput({ data_type: "TYPE_INVALID" }),
      append('batch_input { kind: 99 target_name: "C" data_type: TYPE_FP32 source_input: "IN0" }'),
    ),
    accepted: each(
      batchInput({}),
      batchInput({ data_type: "TYPE_INT32", kind: "BATCH_ITEM_SHAPE" }),
      batchInput({ kind: "BATCH_ITEM_SHAPE_FLATTEN" }),
      batchInput({ kind: "BATCH_MAX_ELEMENT_COUNT_AS_SHAPE" }),
    ),
  },
  {
    rule: "76",
    about: "batch outputs",
    on: base,
    says: /batch output|unknown (source|target)|target output/i,
    refused: each(
      batchOutput({ source_input: [] }),
      batchOutput({ source_input: ["IN0", "IN0"] }),
      batchOutput({ source_input: ["nope"] }),
      batchOutput({ target_name: ["nope"] }),
      batchOutput({ target_name: ["OUT0", "OUT0"] }),
    ),
    accepted: each(batchOutput({})),
  },
  {
    rule: "77",
    about: "batch inputs that the core lets pass",
    on: base,
    accepted: each(
      batchInput({ target_name: [] }),
      batchInput({ target_name: ["A", "B"] }),
      all(set({ max_batch_size: 0 }), batchInput({})),
    ),
  },
  {
    rule: "77",
    about: "a batch output without a target, which kills the server",
    on: legalPython,
    costly: true,
    dies: true,
    refused: each(batchOutput({ target_name: [] })),
    accepted: each(batchOutput({})),
  },
  {
    rule: "78",
    about: "a batching library",
    on: base.map(clear("response_cache")),
    says: /[Bb]atching library|TRITON_BATCH_STRATEGY_PATH/,
    refused: each(
      all(dynamic({}), set({ parameters: { TRITON_BATCH_STRATEGY_PATH: { string_value: "" } } })),
      all(dynamic({}), set({ parameters: { TRITON_BATCH_STRATEGY_PATH: { string_value: "nope.so" } } })),
      all(
        set({
          sequence_batching: {},
          parameters: { TRITON_BATCH_STRATEGY_PATH: { string_value: "nope.so" } },
        }),
      ),
    ),
    accepted: each(
      all(dynamic({}), set({ parameters: { TRITON_BATCH_STRATEGY_PATHS: { string_value: "" } } })),
      all(dynamic({}), set({ parameters: { triton_batch_strategy_path: { string_value: "nope.so" } } })),
    ),
  },
];
