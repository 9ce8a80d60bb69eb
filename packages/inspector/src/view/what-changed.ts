import { showType } from "@tritype/core";
import type { ModelView, Overview, StepView, TensorView } from "../api.ts";

/** A model that is not the same in two overviews. */
export interface ModelChange {
  readonly model: string;
  readonly kind: "added" | "removed" | "changed";
  /** Only present for a model that both overviews contain. */
  readonly facts: readonly FactChange[];
}

/** One property of a model, such as `input x` or `max_batch_size`. */
export interface FactChange {
  readonly name: string;
  /** undefined if the model did not have it. Both are undefined for files, which have no text. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Everything that differs between two overviews, models in the order of their names. */
export const whatChanged = (before: Overview, after: Overview): readonly ModelChange[] => {
  const [old, now] = [before, after].map(({ models }) => new Map(models.map((model) => [model.name, model])));
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].toSorted();
  return names.flatMap((model): readonly ModelChange[] => {
    const [one, other] = [old?.get(model), now?.get(model)];
    if (one === undefined) return [{ model, kind: "added", facts: [] }];
    if (other === undefined) return [{ model, kind: "removed", facts: [] }];
    const facts = factChanges(one, other);
    return facts.length === 0 ? [] : [{ model, kind: "changed", facts }];
  });
};

/** Whether the inside of an ensemble contains one of the changed models, or one that their code calls, at any depth. */
export const changedInside = (
  ensemble: ModelView,
  models: ReadonlyMap<string, ModelView>,
  changed: ReadonlySet<string>,
): boolean => {
  const partsOf = ({ steps = [], calls }: ModelView): readonly string[] => [
    ...steps.map(({ model }) => model),
    ...calls,
  ];
  const inside = new Set(partsOf(ensemble));
  for (const name of inside) {
    const model = models.get(name);
    for (const part of model === undefined ? [] : partsOf(model)) inside.add(part);
  }
  return [...inside].some((name) => changed.has(name));
};

const factChanges = (before: ModelView, after: ModelView): readonly FactChange[] => {
  // A model that is loading is between two states; one that is not ready has another configuration, or none.
  if (!isSettled(before) || !isSettled(after)) return [];
  if (before.state !== after.state)
    return [{ name: "state", before: before.state.toLowerCase(), after: after.state.toLowerCase() }];
  const [old, now] = [factsOf(before), factsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const facts = names.flatMap((name): readonly FactChange[] =>
    old.get(name) === now.get(name) ? [] : [{ name, before: old.get(name), after: now.get(name) }],
  );
  return before.files === after.files
    ? facts
    : [...facts, { name: "files", before: undefined, after: undefined }];
};

const isSettled = ({ state }: ModelView): boolean => state === "READY" || state === "UNAVAILABLE";

const factsOf = (model: ModelView): ReadonlyMap<string, string> => {
  const facts = new Map([
    ["kind", model.kind],
    ...model.inputs.map((tensor) => [`input ${tensor.name}`, typeOf(tensor)] as const),
    ...model.outputs.map((tensor) => [`output ${tensor.name}`, typeOf(tensor)] as const),
    ...Object.entries(model.fields),
    ["versions", model.versions.join(", ")],
    ["calls", model.calls.join(", ")],
    ["contains", model.fused.join(", ")],
    ...Object.entries(model.operators ?? {}).map(
      ([operator, count]) => [`operator ${operator}`, String(count)] as const,
    ),
    ["findings", model.findings.map(({ code }) => code).join(", ")],
  ]);
  for (const step of model.steps ?? []) {
    let [name, count] = [`step ${step.model}`, 1];
    while (facts.has(name)) name = `step ${step.model} (${++count})`;
    facts.set(name, wiringOf(step));
  }
  // An empty list is the same as none.
  return new Map([...facts].filter(([, text]) => text !== ""));
};

const typeOf = (tensor: TensorView): string =>
  [
    showType(tensor),
    ...(tensor.optional === true ? ["optional"] : []),
    ...(tensor.choices === undefined ? [] : [tensor.choices.join(" | ")]),
  ].join(" ");

/** `x ← tokens, scaled → scores` */
const wiringOf = ({ inputs, outputs, version }: StepView): string =>
  [
    ...Object.entries(inputs).map(([input, tensor]) => `${input} ← ${tensor}`),
    ...Object.entries(outputs).map(([output, tensor]) => `${output} → ${tensor}`),
    ...(version === undefined ? [] : [`version ${version}`]),
  ].join(", ");
