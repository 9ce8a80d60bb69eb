import type { Call, Recording } from "../api.ts";
import { different, type TensorComparison } from "./compare-values.ts";
import { childrenOf, numberedNames, placeText } from "./timeline.ts";

/** A tensor of a call in two recordings; undefined on the side where it is missing. */
export interface ComparedTensor<T> {
  readonly one: T | undefined;
  readonly other: T | undefined;
  readonly comparison: TensorComparison;
}

/** The inputs of a call or, after the calls that it made itself, one of its responses. */
export interface ComparedPart<T> {
  /** undefined if only the other recording has the call. */
  readonly one: Call<T> | undefined;
  readonly other: Call<T> | undefined;
  readonly model: string;
  /** The names of its callers, from the outermost, and its own: "flow", "recognize 3 of 8". */
  readonly path: readonly string[];
  readonly depth: number;
  readonly kind: "got" | "gave";
  /** The number of the response, from 1, for a call with several responses. */
  readonly response: number | undefined;
  readonly tensors: readonly ComparedTensor<T>[];
  /** A difference that is not in a tensor. */
  readonly problem: string | undefined;
}

export interface CompareOptions<T> {
  /** For messages: "only in {name}". */
  readonly names: readonly [one: string, other: string];
  readonly compare: (one: T, other: T) => TensorComparison;
}

type Pair<T> = readonly [one: Call<T> | undefined, other: Call<T> | undefined];

/**
 * Compares two recordings call by call, in the order in which values were computed. Calls are paired if they have the same callers.
 * Calls that one caller makes to one model are paired by their inputs if
 * each has an equal partner, so that the order of parallel calls does not matter, and otherwise in the order of their start.
 */
export const compareRecordings = <T extends { readonly name: string }>(
  one: Recording<T>,
  other: Recording<T>,
  options: CompareOptions<T>,
): readonly ComparedPart<T>[] => {
  const [ones, others] = [childrenOf(one), childrenOf(other)];
  const visit = (
    parents: readonly [number, number],
    callers: readonly string[],
  ): readonly ComparedPart<T>[] => {
    const [calls, partners] = [ones.get(parents[0]) ?? [], others.get(parents[1]) ?? []];
    const names = new Map([...namesOf(partners, other), ...namesOf(calls, one)]);
    return pairsOf(calls, partners, options).flatMap((pair) => {
      const ids = [pair[0]?.id ?? -1, pair[1]?.id ?? -1] as const;
      const call = pair[0] ?? pair[1];
      const path = [...callers, (call && names.get(call)) ?? ""];
      const { got, gave } = partsOf(pair, path, options);
      return [got, ...visit(ids, path), ...gave];
    });
  };
  return visit([0, 0], []);
};

/** The first part that differs, and its first tensor that differs. */
export interface FirstDifference<T> {
  readonly part: ComparedPart<T>;
  /** undefined if the difference is not in a tensor. */
  readonly tensor: ComparedTensor<T> | undefined;
}

export const firstDifference = <T>(parts: readonly ComparedPart<T>[]): FirstDifference<T> | undefined => {
  for (const part of parts) {
    const tensor = part.tensors.find(({ comparison }) => !comparison.ok);
    if (tensor !== undefined || part.problem !== undefined) return { part, tensor };
  }
  return undefined;
};

/** The call to which a part belongs, with its callers within the request: `flow → recognize 3 of 8`. */
export const pathOf = ({ path }: Pick<ComparedPart<unknown>, "path">): string =>
  path.slice(Math.min(1, path.length - 1)).join(" → ");

/** The inputs of the call to which a part belongs. */
export const inputsOf = <T>(
  part: ComparedPart<T>,
  parts: readonly ComparedPart<T>[],
): readonly ComparedTensor<T>[] =>
  parts.find(({ one, other, kind }) => kind === "got" && one === part.one && other === part.other)?.tensors ??
  [];

const namesOf = <T>(
  calls: readonly Call<T>[],
  { left }: Recording<T>,
): readonly (readonly [Call<T>, string])[] => {
  const names = numberedNames(calls, left === 0);
  return calls.map((call, index) => [call, names[index] ?? call.model]);
};

const pairsOf = <T extends { readonly name: string }>(
  ones: readonly Call<T>[],
  others: readonly Call<T>[],
  options: CompareOptions<T>,
): readonly Pair<T>[] => {
  const partners = new Map<Call<T>, Call<T>>();
  for (const model of new Set(ones.map((call) => call.model))) {
    const [a, b] = [ones, others].map((calls) => calls.filter((call) => call.model === model));
    for (const [call, partner] of partnersOf(a ?? [], b ?? [], options)) partners.set(call, partner);
  }
  const paired = new Set(partners.values());
  return [
    ...ones.map((call): Pair<T> => [call, partners.get(call)]),
    ...others.filter((call) => !paired.has(call)).map((call): Pair<T> => [undefined, call]),
  ];
};

const partnersOf = <T extends { readonly name: string }>(
  ones: readonly Call<T>[],
  others: readonly Call<T>[],
  options: CompareOptions<T>,
): readonly (readonly [Call<T>, Call<T>])[] => {
  const byOrder = ones.flatMap((call, index) => {
    const partner = others[index];
    return partner === undefined ? [] : [[call, partner] as const];
  });
  if (ones.length !== others.length || ones.length < 2) return byOrder;
  const free = new Set(others);
  const byInputs: (readonly [Call<T>, Call<T>])[] = [];
  for (const call of ones) {
    const partner = [...free].find((each) =>
      tensorsOf(call.inputs, each.inputs, options).every(({ comparison }) => comparison.ok),
    );
    if (partner === undefined) return byOrder;
    free.delete(partner);
    byInputs.push([call, partner]);
  }
  return byInputs;
};

const partsOf = <T extends { readonly name: string }>(
  [one, other]: Pair<T>,
  path: readonly string[],
  options: CompareOptions<T>,
): { readonly got: ComparedPart<T>; readonly gave: readonly ComparedPart<T>[] } => {
  const model = (one ?? other)?.model ?? "";
  const whole = { one, other, model, path, depth: path.length - 1, response: undefined };
  if (one === undefined || other === undefined) {
    const problem = `only in ${options.names[one === undefined ? 1 : 0]}`;
    return { got: { ...whole, kind: "got", tensors: [], problem }, gave: [] };
  }
  const count = Math.max(one.responses.length, other.responses.length, 1);
  const gave = Array.from({ length: count }, (_, index): ComparedPart<T> => {
    const tensors = tensorsOf(one.responses[index] ?? [], other.responses[index] ?? [], options);
    const last = index === count - 1;
    const response = count > 1 ? index + 1 : undefined;
    return {
      ...whole,
      kind: "gave",
      response,
      tensors,
      problem: last ? endOf(one, other, options) : undefined,
    };
  });
  return {
    got: { ...whole, kind: "got", tensors: tensorsOf(one.inputs, other.inputs, options), problem: undefined },
    gave,
  };
};

/** The difference between the ends of two calls. */
const endOf = <T>(one: Call<T>, other: Call<T>, { names }: CompareOptions<T>): string | undefined => {
  if (one.failed !== other.failed) return `failed only in ${names[one.failed ? 0 : 1]}`;
  const [place, otherPlace] = [one, other].map(({ errors: [first] = [] }) => first?.after);
  if (place !== undefined && otherPlace !== undefined && place !== otherPlace)
    return `failed ${placeText(place)} in ${names[0]}, ${placeText(otherPlace)} in ${names[1]}`;
  const [count, others] = [one, other].map(({ responses, left }) => responses.length + left);
  return count === others ? undefined : `${count} responses in ${names[0]}, ${others} in ${names[1]}`;
};

const tensorsOf = <T extends { readonly name: string }>(
  ones: readonly T[],
  others: readonly T[],
  { compare, names }: CompareOptions<T>,
): readonly ComparedTensor<T>[] => {
  const left = new Map(ones.map((one) => [one.name, one]));
  const right = new Map(others.map((other) => [other.name, other]));
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => {
    const [one, other] = [left.get(name), right.get(name)];
    const comparison =
      one === undefined || other === undefined
        ? different(name, `only in ${names[one === undefined ? 1 : 0]}`)
        : compare(one, other);
    return { one, other, comparison };
  });
};
