import type { ModelConfig } from "@tritype/triton";
import type { FieldPath, ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

type ControlInput = NonNullable<NonNullable<ModelConfig["sequence_batching"]>["control_input"]>[number];
type Control = NonNullable<ControlInput["control"]>[number];

interface ControlPlace {
  readonly tensor: string;
  readonly control: Control;
  /** The kind that Triton assumes if none is given. */
  readonly kind: string;
  readonly path: FieldPath;
}

const inputPath = (i: number, ...rest: FieldPath): FieldPath => [
  "sequence_batching",
  "control_input",
  i,
  ...rest,
];

const controlInputs = ({ config }: ModelContext): readonly ControlInput[] =>
  config.sequence_batching?.control_input ?? [];

/** The controls, kind by kind, as Triton reads them. */
const controls = (model: ModelContext): readonly ControlPlace[] =>
  controlInputs(model)
    .flatMap(({ name: tensor = "", control = [] }, i) =>
      control.map((one, j) => ({
        tensor,
        control: one,
        kind: one.kind ?? "CONTROL_SEQUENCE_START",
        path: inputPath(i, "control", j),
      })),
    )
    .toSorted((a, b) => inOrder.indexOf(a.kind) - inOrder.indexOf(b.kind));

const flagKinds: ReadonlySet<string> = new Set([
  "CONTROL_SEQUENCE_START",
  "CONTROL_SEQUENCE_END",
  "CONTROL_SEQUENCE_READY",
]);
const flagLists = ["int32_false_true", "fp32_false_true", "bool_false_true"] as const;
const idKind = "CONTROL_SEQUENCE_CORRID";
const inOrder: readonly string[] = [...flagKinds, idKind];
const kinds: ReadonlySet<string> = new Set(inOrder);
const idTypes: readonly string[] = ["TYPE_UINT64", "TYPE_INT64", "TYPE_UINT32", "TYPE_INT32", "TYPE_STRING"];

const filled = (control: Control) => flagLists.filter((list) => (control[list] ?? []).length > 0);

const nameRule = modelRule(
  {
    code: "sequence/control-name",
    triton: ["80"],
    reason: "Triton adds the control as an input of this name.",
    words: "sequence batching control tensor must have a name for {model}",
    message: "a `control_input` of `{model}` has no name",
  },
  (model, report) => {
    for (const [i, { name }] of controlInputs(model).entries())
      if (!name) report(model.at(inputPath(i), "without `name`"));
  },
);

const twiceRule = modelRule(
  {
    code: "sequence/control-twice",
    triton: ["81"],
    reason: "Each control input is a separate tensor.",
    words: "sequence batching control tensor '{tensor}' is specified for multiple control kinds for {model}",
    message: "`{model}` has `control_input` `{tensor}` twice",
  },
  (model, report) => {
    const seen = new Map<string, number>();
    for (const [i, { name: tensor }] of controlInputs(model).entries()) {
      if (!tensor) continue;
      const first = seen.get(tensor);
      if (first === undefined) seen.set(tensor, i);
      else
        report([model.at(inputPath(i, "name"), "again"), model.at(inputPath(first, "name"), "first")], {
          tensor,
        });
    }
  },
);

const kindRule = modelRule(
  {
    code: "sequence/control-kind-twice",
    triton: ["82"],
    reason: "A sequence has only one tensor for each kind of control.",
    words: "sequence batching specifies multiple {kind} tensors for {model}",
    message: "`{model}` has {kind} twice, in `{first}` and `{tensor}`",
  },
  (model, report) => {
    const seen = new Map<string, ControlPlace>();
    for (const place of controls(model)) {
      const { kind, tensor, path } = place;
      const first = seen.get(kind);
      if (!kinds.has(kind)) continue;
      if (first === undefined) seen.set(kind, place);
      else
        report([model.at(path, "again"), model.at(first.path, "first")], {
          kind,
          first: first.tensor,
          tensor,
        });
    }
  },
);

const flagRule = modelRule(
  {
    code: "sequence/control-values",
    triton: ["83", "84"],
    reason:
      "START, END and READY are defined by one list of two values: the first for false and the second for true.",
    words: {
      none: "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for {kind} for {model}",
      several:
        "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and 'bool_false_true' for {kind} for {model}",
      count: "sequence batching control '{list}' must have exactly 2 entries for {kind} for {model}",
    },
    message: "{kind} of `{model}` needs one list of two values, but {why}",
    help: "write, for example, `int32_false_true: [ 0, 1 ]`",
  },
  (model, report) => {
    for (const { kind, control, path } of controls(model)) {
      const lists = filled(control);
      const why = flagKinds.has(kind) ? flagProblem(control, lists) : undefined;
      if (why === undefined) continue;
      report(model.at(lists[0] === undefined ? path : [...path, lists[0]], "not two values"), {
        kind,
        why: why.text,
        list: lists[0] ?? "",
        words: why.words,
      });
    }
  },
);

interface FlagProblem {
  readonly text: string;
  readonly words: "none" | "several" | "count";
}

const flagProblem = (
  control: Control,
  lists: readonly (typeof flagLists)[number][],
): FlagProblem | undefined => {
  const [list] = lists;
  if (list === undefined) return { text: `has none of ${flagLists.join(", ")}`, words: "none" };
  if (lists.length > 1) return { text: `has ${lists.join(" and ")}`, words: "several" };
  const count = control[list]?.length ?? 0;
  return count === 2 ? undefined : { text: `${list} has ${count}`, words: "count" };
};

const idRule = modelRule(
  {
    code: "sequence/correlation-id",
    triton: ["85"],
    reason: "A sequence's ID is a 32-bit or 64-bit integer or a string, and has no false/true values.",
    words: {
      values:
        "sequence batching must not specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for {kind} for {model}",
      type: "unexpected data type for control CONTROL_SEQUENCE_CORRID for {model}. Allowed data types are TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING",
    },
    message: "CONTROL_SEQUENCE_CORRID of `{model}` {why}",
    help: "write `data_type: TYPE_UINT64`, or another of {types}",
  },
  (model, report) => {
    for (const { kind, control, path } of controls(model)) {
      if (kind !== idKind) continue;
      const [list] = filled(control);
      const type: string = control.data_type ?? "";
      if (list === undefined && idTypes.includes(type)) continue;
      const why = list === undefined ? (type === "" ? "has no data_type" : `is ${type}`) : `has ${list}`;
      const place = list === undefined ? [...path, "data_type"] : [...path, list];
      report(model.at(place, "not an id"), {
        why,
        types: idTypes.join(", "),
        kind: idKind,
        words: list === undefined ? "type" : "values",
      });
    }
  },
);

export const controlRules: readonly Rule[] = [nameRule, twiceRule, flagRule, idRule, kindRule];
