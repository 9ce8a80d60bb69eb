import type { ModelSequenceBatching } from "@tritype/triton";
import { addFiles, all, clear, type Edit, set, each } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalSingle } from "./legal-single.ts";

type Item<T> = NonNullable<T> extends readonly (infer I)[] ? I : never;
type ModelSequenceBatchingState = Item<ModelSequenceBatching["state"]>;
type ModelSequenceBatchingInitialState = Item<ModelSequenceBatchingState["initial_state"]>;
type ModelSequenceBatchingControl = Item<Item<ModelSequenceBatching["control_input"]>["control"]>;

const base = legalSingle.map(all(clear("dynamic_batching", "response_cache"), set({ max_batch_size: 4 })));
const sequence = (fields: ModelSequenceBatching): Edit => set({ sequence_batching: fields });
const sequences = (...fields: readonly ModelSequenceBatching[]): readonly Edit[] => fields.map(sequence);
const start: ModelSequenceBatchingControl = { kind: "CONTROL_SEQUENCE_START", int32_false_true: [0, 1] };
const end: ModelSequenceBatchingControl = { kind: "CONTROL_SEQUENCE_END", fp32_false_true: [0, 1] };
const ready: ModelSequenceBatchingControl = {
  kind: "CONTROL_SEQUENCE_READY",
  bool_false_true: [false, true],
};
const id: ModelSequenceBatchingControl = { kind: "CONTROL_SEQUENCE_CORRID", data_type: "TYPE_UINT64" };
const control = (name: string, ...kinds: readonly ModelSequenceBatchingControl[]) => ({
  name,
  control: kinds,
});
const controls = (...kinds: readonly ModelSequenceBatchingControl[]): ModelSequenceBatching => ({
  control_input: [control("C", ...kinds)],
});
const state: ModelSequenceBatchingState = {
  input_name: "S",
  output_name: "T",
  data_type: "TYPE_FP32",
  dims: [2],
};
const initial: ModelSequenceBatchingInitialState = {
  name: "first",
  data_type: "TYPE_FP32",
  dims: [2],
  zero_data: true,
};
const withState = (
  fields: ModelSequenceBatchingState,
  ...starts: readonly ModelSequenceBatchingInitialState[]
): ModelSequenceBatching => ({
  state: [{ ...state, ...fields, ...(starts.length > 0 ? { initial_state: starts } : {}) }],
});
const starting = (fields: ModelSequenceBatchingInitialState): ModelSequenceBatching =>
  withState({}, { ...initial, ...fields });
const fileState: ModelSequenceBatching = {
  state: [
    { ...state, initial_state: [{ name: "first", data_type: "TYPE_FP32", dims: [2], data_file: "s" }] },
  ],
};
const stateFile = (bytes: number): Edit =>
  all(sequence(fileState), addFiles({ "initial_state/s": new Uint8Array(bytes) }));

/** Rules 79 to 99: sequences. */
export const sequenceFaults: readonly Fault[] = [
  {
    rule: "79",
    about: "a cache for sequences",
    on: base,
    says: /Response Cache does not currently support model .* with sequence batching/,
    refused: each(all(sequence({}), set({ response_cache: { enable: true } }))),
    accepted: each(all(sequence({}), set({ response_cache: { enable: false } }))),
  },
  {
    rule: "80",
    about: "a control without a name",
    on: base,
    says: /control tensor must have a name/,
    refused: sequences(
      { control_input: [{ control: [start] }] },
      { control_input: [control("A", start), control("", end)] },
    ),
    accepted: sequences(controls(start), { control_input: [control("IN0", start)] }),
  },
  {
    rule: "81",
    about: "one control tensor named twice",
    on: base,
    says: /is specified for multiple control kinds/,
    refused: sequences(
      { control_input: [control("A", start), control("A", end)] },
      { control_input: [control("A", id), control("B", end), control("A", ready)] },
    ),
    accepted: sequences({ control_input: [control("A", start), control("B", end)] }),
  },
  {
    rule: "82",
    about: "one kind twice",
    on: base,
    says: /sequence batching specifies multiple CONTROL_SEQUENCE_\w+ tensors/,
    refused: sequences(
      { control_input: [control("A", start), control("B", start)] },
      { control_input: [control("A", id), control("B", id)] },
      { control_input: [control("A", ready), control("B", end), control("C", end)] },
    ),
    accepted: sequences({
      control_input: [control("A", start), control("B", end), control("C", ready), control("D", id)],
    }),
  },
  {
    rule: "83",
    about: "no false and true, or two of them",
    on: base,
    says: /must specify either|specifies more than one from/,
    refused: sequences(
      controls({ kind: "CONTROL_SEQUENCE_START" }),
      controls({ ...start, fp32_false_true: [0, 1] }),
      controls({ ...end, bool_false_true: [false, true] }),
      controls({ kind: "CONTROL_SEQUENCE_READY", data_type: "TYPE_INT32" }),
      { control_input: [{ name: "A", control: [{}] }] },
    ),
    accepted: sequences(controls(start), controls(end), controls(ready)),
  },
  {
    rule: "84",
    about: "false and true of another length",
    on: base,
    says: /must have exactly 2 entries/,
    refused: sequences(
      controls({ kind: "CONTROL_SEQUENCE_START", int32_false_true: [0] }),
      controls({ kind: "CONTROL_SEQUENCE_END", fp32_false_true: [0, 1, 2] }),
      controls({ kind: "CONTROL_SEQUENCE_READY", bool_false_true: [true] }),
    ),
    accepted: sequences(controls({ kind: "CONTROL_SEQUENCE_START", int32_false_true: [1, 1] })),
  },
  {
    rule: "85",
    about: "a correlation id of another kind",
    on: base,
    says: /must not specify either|unexpected data type for control/,
    refused: sequences(
      controls({ ...id, int32_false_true: [0, 1] }),
      controls({ kind: "CONTROL_SEQUENCE_CORRID" }),
      controls({ kind: "CONTROL_SEQUENCE_CORRID", data_type: "TYPE_FP32" }),
      controls({ kind: "CONTROL_SEQUENCE_CORRID", data_type: "TYPE_INT16" }),
    ),
    accepted: each("TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING").map((data_type) =>
      sequence(controls({ kind: "CONTROL_SEQUENCE_CORRID", data_type })),
    ),
  },
  {
    rule: "86",
    about: "controls that nothing asks for",
    on: base,
    accepted: sequences({}, { control_input: [] }, { control_input: [{ name: "A" }] }, controls(start, end), {
      control_input: [control("IN0", id)],
    }),
  },
  {
    rule: "87",
    about: "a preferred batch of sequences",
    on: base,
    says: /sequence batching preferred batch size must be/,
    refused: each([0], [-1], [5], [4, 8]).map((preferred_batch_size) =>
      sequence({ oldest: { preferred_batch_size } }),
    ),
    accepted: each([4], [1, 2], []).map((preferred_batch_size) =>
      sequence({ oldest: { preferred_batch_size } }),
    ),
  },
  {
    rule: "88",
    about: "a slot utilization outside 0 to 1",
    on: base,
    says: /minimum slot utilization must be in range/,
    refused: each(-0.5, 1.5, 2, -1).map((minimum_slot_utilization) =>
      sequence({ direct: { minimum_slot_utilization } }),
    ),
    accepted: each(0, 0.5, 1).map((minimum_slot_utilization) =>
      sequence({ direct: { minimum_slot_utilization } }),
    ),
  },
  {
    rule: "89",
    about: "candidate sequences",
    on: base,
    accepted: each(0, 1, 100).map((max_candidate_sequences) =>
      sequence({ oldest: { max_candidate_sequences } }),
    ),
  },
  {
    rule: "90b",
    about: "states without their fields",
    on: base,
    accepted: sequences(
      { state: [{}] },
      { state: [state, state] },
      { state: [{ input_name: "S" }] },
      { state: [{ ...state, dims: [-1] }] },
    ),
  },
  {
    rule: "91",
    costly: true,
    about: "two initial states",
    on: base,
    says: /initial_state field for state input/,
    refused: sequences(
      withState({}, initial, initial),
      withState({}, initial, { ...initial, name: "second" }),
    ),
    accepted: sequences(withState({}, initial), withState({})),
  },
  {
    rule: "92",
    costly: true,
    about: "an initial state of another type",
    on: base,
    says: /data type used for 'initial_state' field/,
    refused: sequences(starting({ data_type: "TYPE_INT32" }), starting({ data_type: "TYPE_FP16" })),
    accepted: sequences(
      starting({}),
      withState({ data_type: "TYPE_INT8" }, { ...initial, data_type: "TYPE_INT8" }),
    ),
  },
  {
    rule: "93",
    costly: true,
    about: "an initial state without a name",
    on: base,
    says: /Field 'name' must be set when using initial_state/,
    refused: sequences(starting({ name: "" }), {
      state: [{ ...state, initial_state: [{ data_type: "TYPE_FP32", dims: [2], zero_data: true }] }],
    }),
    accepted: sequences(starting({ name: "x" })),
  },
  {
    rule: "94",
    costly: true,
    about: "two starts of one state",
    on: base,
    says: /specified more than once/,
    refused: sequences({
      state: [
        { ...state, initial_state: [initial] },
        { ...state, initial_state: [initial] },
      ],
    }),
    accepted: sequences(
      {
        state: [
          { ...state, initial_state: [initial] },
          { ...state, input_name: "U", initial_state: [initial] },
        ],
      },
      { state: [state, state] },
    ),
  },
  {
    rule: "95",
    costly: true,
    about: "an initial state of other dims",
    on: base,
    says: /dim|variable/i,
    refused: sequences(
      starting({ dims: [2, 1] }),
      starting({ dims: [3] }),
      starting({ dims: [-1] }),
      withState({ dims: [-1] }, { ...initial, dims: [-1] }),
    ),
    accepted: sequences(starting({}), withState({ dims: [-1] }, { ...initial, dims: [7] })),
  },
  {
    rule: "96",
    costly: true,
    about: "an initial state without data",
    on: base,
    says: /to have state_data set/,
    refused: sequences({
      state: [{ ...state, initial_state: [{ name: "first", data_type: "TYPE_FP32", dims: [2] }] }],
    }),
    accepted: sequences(starting({ zero_data: false }), starting({})),
  },
  {
    rule: "97",
    costly: true,
    about: "a file of an initial state",
    on: base,
    says: /initial_state setting expects|failed to open/,
    refused: [sequence(fileState), ...each(0, 7).map(stateFile)],
    accepted: each(8, 9, 100).map(stateFile),
  },
  {
    rule: "98",
    about: "growable memory is looked at when it is used",
    on: base,
    accepted: sequences(
      { state: [{ ...state, use_growable_memory: true }] },
      { state: [{ ...state, use_same_buffer_for_input_output: true, use_growable_memory: true }] },
    ),
  },
  {
    rule: "99",
    about: "sequences without batches",
    on: legalSingle.map(all(clear("dynamic_batching", "response_cache", "max_batch_size"))),
    accepted: sequences({}, controls(start), { direct: {} }, { oldest: {} }),
  },
];
