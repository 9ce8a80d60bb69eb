import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** Messages about dynamic batching, batch tensors, and sequences and their states. */
export const batchMessages: readonly ServerMessage[] = [
  {
    ...ofRule("batch/preferred-size", "positive"),
    means: "a preferred_batch_size of `{model}` is below 1",
  },
  {
    ...ofRule("batch/preferred-size", "most"),
    means: "a preferred_batch_size of `{model}` is larger than its max_batch_size",
  },
  {
    ...ofRule("batch/default-priority"),
    means: "`{model}` has priority levels 1 to {levels}, but its default_priority_level is not one of them",
    help: "write a `default_priority_level` from 1 to {levels}",
  },
  {
    ...ofRule("batch/priority-policy"),
    means: "a queue policy of `{model}` is for a priority outside 1 to {levels}",
    help: "use keys from 1 to {levels}",
  },
  {
    ...ofRule("batch/ordered-priorities"),
    means: "`{model}` preserves the order of requests and has several priorities",
  },
  {
    ...ofRule("batch/ordered-delay"),
    means: "`{model}` preserves the order of requests and delays those that time out",
  },
  {
    ...ofRule("batch/source-count"),
    means: "a batch {side} of kind {kind} has {count} source inputs, not {wanted}",
  },
  {
    says: "unknown batch input kind '{kind}' for {model}",
    codes: ["batch/unknown-kind"],
    means: "a batch_input of `{model}` has an unknown kind",
  },
  {
    says: "unknown batch output kind '{kind}' for {model}",
    codes: ["batch/unknown-kind"],
    means: "a batch_output of `{model}` has an unknown kind",
  },
  {
    says: "unknown source input name '{tensor}' for {model}",
    codes: ["batch/unknown-tensor"],
    means: "`{tensor}` is the source of a batch tensor of `{model}` but not an input",
    help: "name an input of the configuration",
  },
  {
    says: "unknown target output name '{tensor}' for {model}",
    codes: ["batch/unknown-tensor"],
    means: "`{tensor}` is the target of a batch_output of `{model}` but not an output",
    help: "name an output of the configuration",
  },
  {
    ...ofRule("batch/input-datatype", "core"),
    means: "a batch_input of `{model}` is neither TYPE_INT32 nor TYPE_FP32",
  },
  {
    ...ofRule("batch/input-datatype", "completing"),
    means: "a batch_input has data_type {given}",
  },
  {
    ...ofRule("batch/target-twice"),
    means: "a batch_output of `{model}` has target `{tensor}` twice",
  },
  {
    ...ofRule(["batch/strategy-not-found", "batch/empty-strategy"]),
    fixIn: "machine",
    means: "the batching library of TRITON_BATCH_STRATEGY_PATH does not exist: `{path}`",
  },
  {
    ...ofRule("batch/strategy-with-sequences"),
    means: "the model has a batching library and sequence_batching",
  },
  {
    says: "does not define all required custom batching functions",
    fixIn: "machine",
    means: "the batching library lacks some of its five functions",
    help: "export all of TRITONBACKEND_ModelBatch* or none",
  },

  {
    ...ofRule("sequence/control-name"),
    means: "a `control_input` of `{model}` has no name",
    help: "write `name`",
  },
  {
    ...ofRule("sequence/control-twice"),
    means: "two `control_input` entries of `{model}` are named `{tensor}`",
    help: "give each control input a different name",
  },
  {
    ...ofRule("sequence/control-kind-twice"),
    means: "`{model}` has {kind} twice",
    help: "keep one of them",
  },
  {
    ...ofRule("sequence/control-values", "none"),
    means: "{kind} of `{model}` has no list of two values",
  },
  {
    ...ofRule("sequence/control-values", "several"),
    means: "{kind} of `{model}` has more than one list of values",
  },
  {
    ...ofRule("sequence/control-values", "count"),
    means: "`{list}` for {kind} of `{model}` does not have two values",
  },
  {
    ...ofRule("sequence/correlation-id", "values"),
    means: "{kind} of `{model}` has false/true values, but an ID has none",
    help: "write only `data_type: TYPE_UINT64`",
  },
  {
    ...ofRule("sequence/correlation-id", "type"),
    means: "CONTROL_SEQUENCE_CORRID of `{model}` has a data_type that is not valid for an ID",
    help: "write `data_type: TYPE_UINT64`, or TYPE_INT64, TYPE_UINT32, TYPE_INT32, TYPE_STRING",
  },
  {
    ...ofRule("sequence/preferred-batch-size", "positive"),
    means: "a preferred batch of sequences of `{model}` is below 1",
    help: "write 1 or more",
  },
  {
    ...ofRule("sequence/preferred-batch-size", "most"),
    means: "a preferred batch of sequences of `{model}` is larger than its max_batch_size",
    help: "lower it, or raise max_batch_size",
  },
  {
    ...ofRule("sequence/slot-utilization"),
    means: "`minimum_slot_utilization` of `{model}` is not between 0 and 1",
    help: "write a fraction, such as 0.5",
  },
  {
    ...ofRule("sequence/initial-states"),
    means: "state `{tensor}` has {count} initial states; at most one is allowed",
    help: "keep one",
  },
  {
    ...ofRule("sequence/initial-state-type", "type"),
    means: "the initial state of `{tensor}` has a different data_type than the state",
    help: "give both the same data_type",
  },
  {
    ...ofRule("sequence/initial-state-name"),
    means: "the initial state of `{tensor}` has no name",
    help: "write `name`",
  },
  {
    ...ofRule("sequence/state-twice"),
    means: "two states give an initial state to `{tensor}`",
    help: "keep one",
  },
  {
    ...ofRule("sequence/initial-state-type", "rank"),
    means: "the initial state of `{tensor}` has {own} dims, but the state has {given}",
    help: "give both the same dims",
  },
  {
    ...ofRule("sequence/initial-state-type", "variable"),
    means: "the initial state of `{tensor}` has a dim of -1",
    help: "write every size",
  },
  {
    ...ofRule("sequence/initial-state-type", "dim"),
    means: "a dim of the initial state of `{tensor}` is {own}, but the state has {given}",
    help: "give both the same dims",
  },
  {
    ...ofRule("sequence/initial-state-data"),
    means: "the initial state of `{tensor}` has no data",
  },
  {
    says: "initial_state setting expects {wanted:n} bytes, but the data provided from {file}only has {found:n} bytes",
    codes: ["sequence/initial-state-file"],
    means: "`initial_state/{file}` has {found} bytes, but its state needs {wanted}",
    help: "write the tensor's raw little-endian bytes",
  },
  {
    says: "'use_growable_memory' can only work with KIND_GPU",
    codes: ["sequence/growable-memory"],
    means: "a state with growable memory belongs to an instance without a GPU",
    help: "use `KIND_GPU`, or remove `use_growable_memory`",
  },
  {
    says: "In order to 'use_growable_memory', you must also enable 'use_single_buffer'",
    codes: ["sequence/growable-memory"],
    means: "a state has growable memory but two buffers",
    help: "write `use_same_buffer_for_input_output: true` too",
  },
  {
    says: "Failed to initialize sequence state",
    codes: ["sequence/growable-memory"],
    means: "a sequence started without its states",
    help: "see the previous line in the log; growable memory needs a GPU and one buffer for input and output",
  },
];
