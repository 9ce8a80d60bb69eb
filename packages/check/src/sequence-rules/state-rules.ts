import type { ModelConfig } from "@tritype/triton";
import type { FieldPath, ModelContext } from "../model-context.ts";
import { absence, entryAt, insteadOf } from "../model/onnx-file.ts";
import { modelRule, type Rule } from "../rule.ts";
import { dataFile } from "../model/data-file.ts";
import { dtypeName, elementCount, elementSize } from "../warmup-rules/warmup-data.ts";

type State = NonNullable<NonNullable<ModelConfig["sequence_batching"]>["state"]>[number];
type InitialState = NonNullable<State["initial_state"]>[number];

const statePath = (i: number, ...rest: FieldPath): FieldPath => ["sequence_batching", "state", i, ...rest];

const states = ({ config }: ModelContext) => [...(config.sequence_batching?.state ?? []).entries()];

/** In Triton 24.10, about half of these refusals crash the server. */
const crash = "About half the time, the server crashes with a segmentation fault while refusing the model.";

/** States with exactly one initial state. Other states have none, or fail before it is checked. */
const initialStates = (
  model: ModelContext,
): readonly (readonly [index: number, state: State, initial: InitialState])[] =>
  states(model).flatMap(([i, state]) => {
    const [initial, ...more] = state.initial_state ?? [];
    return initial === undefined || more.length > 0 ? [] : [[i, state, initial] as const];
  });

const manyRule = modelRule(
  {
    code: "sequence/initial-states",
    triton: ["91"],
    atLoad: true,
    reason: `A state starts with a single tensor. ${crash}`,
    words:
      "initial_state field for state input '{tensor}' must contain exactly one or zero element. Found '{count}' elements.",
    message: "state `{tensor}` of `{model}` has {count} initial states; at most one is allowed",
  },
  (model, report) => {
    for (const [i, { input_name: state = "", initial_state: all = [] }] of states(model))
      if (all.length > 1)
        report(model.at(statePath(i, "initial_state", 1), "one too many"), {
          tensor: state,
          count: all.length,
        });
  },
);

const nameRule = modelRule(
  {
    code: "sequence/initial-state-name",
    triton: ["93"],
    atLoad: true,
    reason: `Triton requires a name for each initial state. ${crash}`,
    words: "Field 'name' must be set when using initial_state for state input '{tensor}'.",
    message: "the initial state of `{tensor}` of `{model}` has no name",
  },
  (model, report) => {
    for (const [i, { input_name: state = "" }, { name }] of initialStates(model))
      if (!name) report(model.at(statePath(i, "initial_state", 0), "without `name`"), { tensor: state });
  },
);

const twiceRule = modelRule(
  {
    code: "sequence/state-twice",
    triton: ["94"],
    atLoad: true,
    reason: `An input has at most one initial state. ${crash}`,
    words: "State input name '{tensor}' specified more than once",
    message: "two states of `{model}` give an initial state to input `{tensor}`",
  },
  (model, report) => {
    const seen = new Map<string, number>();
    for (const [i, { input_name: state = "" }] of initialStates(model)) {
      const first = seen.get(state);
      if (first === undefined) seen.set(state, i);
      else
        report(
          [model.at(statePath(i, "input_name"), "again"), model.at(statePath(first, "input_name"), "first")],
          { tensor: state },
        );
    }
  },
);

const tensorRule = modelRule(
  {
    code: "sequence/initial-state-type",
    triton: ["92", "95"],
    atLoad: true,
    reason: `An initial state is one tensor with the state's datatype and dims, and all of its sizes must be specified. ${crash}`,
    words: {
      type: "The data type used for 'initial_state' field of state '{tensor}' does not match the state data type.",
      rank: "Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input '{tensor}'. {own:n} != {given:n}",
      variable: "'initial_state' field for state input name '{tensor}' contains variable dimensions.",
      dim: "'initial_state' dim for input name '{tensor}' doesn't match 'state' dim description. {own:n} != {given:n}",
    },
    message: "state `{tensor}` of `{model}` is {wanted}, but its initial state is {found}",
  },
  (model, report) => {
    for (const [i, { input_name: state = "", data_type, dims = [] }, initial] of initialStates(model)) {
      const own = initial.dims ?? [];
      const fits =
        own.length === dims.length &&
        own.every((dim, j) => dim !== -1 && (dims[j] === -1 || dims[j] === dim));
      const sameType = (data_type ?? "TYPE_INVALID") === (initial.data_type ?? "TYPE_INVALID");
      if (sameType && fits) continue;
      const field = sameType ? "dims" : "data_type";
      report(
        [
          model.at(statePath(i, "initial_state", 0, field), "does not fit"),
          model.at(statePath(i, field), "the state"),
        ],
        {
          tensor: state,
          wanted: `${dtypeName(data_type)}[${dims.join(", ")}]`,
          found: `${dtypeName(initial.data_type)}[${own.join(", ")}]`,
          ...unequal(own, dims),
          words: !sameType ? "type" : wordsFor(own, dims),
          help: own.includes(-1) ? "write a size for every -1" : "make both the same",
        },
      );
    }
  },
);

const wordsFor = (own: readonly number[], dims: readonly number[]): "rank" | "variable" | "dim" => {
  if (own.length !== dims.length) return "rank";
  return own.includes(-1) ? "variable" : "dim";
};

/** The numbers that Triton compares: the ranks, or otherwise the first pair of sizes that differ. */
const unequal = (
  own: readonly number[],
  dims: readonly number[],
): { readonly own: number; readonly given: number } => {
  if (own.length !== dims.length) return { own: own.length, given: dims.length };
  const at = own.findIndex((dim, i) => dims[i] !== -1 && dims[i] !== dim);
  return { own: own[at] ?? 0, given: dims[at] ?? 0 };
};

const dataRule = modelRule(
  {
    code: "sequence/initial-state-data",
    triton: ["96"],
    atLoad: true,
    reason: `Triton needs a state's initial data. ${crash}`,
    words: "initial_state setting expects state'{tensor}' to have state_data set",
    message: "the initial state of `{tensor}` of `{model}` has no data",
    help: "set `zero_data: true` or `data_file`",
  },
  (model, report) => {
    for (const [i, { input_name: state = "" }, { zero_data, data_file }] of initialStates(model))
      if (zero_data === undefined && data_file === undefined)
        report(model.at(statePath(i, "initial_state", 0), "no data"), { tensor: state });
  },
);

const fileRule = modelRule(
  {
    code: "sequence/initial-state-file",
    triton: ["97"],
    atLoad: true,
    reason: `A state's file is in the model's folder \`initial_state\` and contains at least the bytes of one tensor. ${crash}`,
    words: {
      short:
        "initial_state setting expects {wanted:n} bytes, but the data provided from {given}only has {size:n} bytes.",
    },
    message: "the initial state of `{tensor}` of `{model}` needs {wanted} bytes of `{file}`, which {found}",
  },
  (model, report) => {
    for (const [i, { input_name: state = "" }, { data_type, dims = [], data_file }] of initialStates(model)) {
      if (data_file === undefined || dims.includes(-1)) continue;
      const file = dataFile("initial_state", data_file);
      if (file === undefined) continue;
      const wanted = data_type === "TYPE_STRING" ? 0 : elementCount(dims) * elementSize(data_type);
      const bytes = model.read(file, Math.max(wanted, 1));
      const missing =
        bytes === undefined && model.options.configsOnly !== true && entryAt(model, file)?.kind !== "file";
      if (!missing && (bytes === undefined || bytes.length >= wanted)) continue;
      report(model.at(statePath(i, "initial_state", 0, "data_file"), bytes ? "too short" : "no such file"), {
        tensor: state,
        wanted,
        file,
        given: data_file,
        size: bytes?.length ?? 0,
        ...(bytes === undefined ? {} : { words: "short" as const }),
        found: bytes === undefined ? absence(model, file) : `has ${bytes.length}`,
        notes: insteadOf(model, file),
      });
    }
  },
);

const growableRule = modelRule(
  {
    code: "sequence/growable-memory",
    triton: ["98"],
    judged: "ours",
    reason:
      "The model loads, but its sequences have no state (`Failed to initialize sequence state` in the log), because memory only grows on a GPU, and only if the input and output share it.",
    message: "state `{tensor}` of `{model}` has `use_growable_memory`, but {why}",
  },
  (model, report) => {
    const groups = model.written.instance_group ?? [];
    for (const [i, state] of states(model)) {
      if (state.use_growable_memory !== true) continue;
      const elsewhere = groups.find(({ kind }) => kind === "KIND_CPU" || kind === "KIND_MODEL");
      const separate = state.use_same_buffer_for_input_output !== true;
      if (!separate && elsewhere === undefined) continue;
      report(model.at(statePath(i, "use_growable_memory"), "cannot work"), {
        tensor: state.input_name ?? "",
        why: separate ? "not `use_same_buffer_for_input_output`" : `runs on ${elsewhere?.kind}`,
        help: separate
          ? "set `use_same_buffer_for_input_output: true`"
          : "run it on a GPU, or remove the field",
      });
    }
  },
);

const keptRule = modelRule(
  {
    code: "sequence/state-not-kept",
    reason:
      "Triton stores what the backend returns as a state. The Python backend has no way to return one: a tensor with the name of the state's output is dropped, and the state's input has the initial value in every request, so every request is answered like the first one of a sequence.",
    message:
      "the state `{tensor}` of `{model}` never changes: the Python backend does not return states to Triton",
    help: "keep it in the model's code, in a dict by `request.correlation_id()`: set it when a sequence starts, and remove it when the sequence ends. Only ONNX Runtime, TensorRT and PyTorch models have states that Triton keeps",
  },
  (model, report) => {
    if (model.config.backend !== "python") return;
    for (const [i, { input_name: state = "" }] of states(model))
      report(model.at(statePath(i), "always the initial value"), { tensor: state });
  },
);

export const stateRules: readonly Rule[] = [
  keptRule,
  manyRule,
  nameRule,
  twiceRule,
  tensorRule,
  dataRule,
  fileRule,
  growableRule,
];
