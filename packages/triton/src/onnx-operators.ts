import { didYouMean } from "@tritype/core";
import { onnxOperators } from "./generated/onnx-operators.ts";
import type { OperatorGroup } from "./operator-group.ts";
import { releases, type TritonRelease } from "./releases.ts";

/** An operator that a model uses; `""` is ONNX's own domain. */
interface Operator {
  readonly domain: string;
  readonly name: string;
  /** The version of the domain that the model imports; undefined if it imports none. */
  readonly version: number | undefined;
}

/** The reason why the ONNX Runtime of a release does not load a model with an operator. */
export type OperatorProblem =
  | { readonly kind: "domain" }
  /** A similar name in the domain, and a different domain that has the operator. */
  | { readonly kind: "name"; readonly near: string | undefined; readonly other: string | undefined }
  /** The first version of the domain with the operator. */
  | { readonly kind: "too-old"; readonly since: number }
  /** The last version of the domain with the operator. */
  | { readonly kind: "removed"; readonly until: number }
  /** The releases that have the operator. */
  | { readonly kind: "release"; readonly first: string; readonly last: string };

/** undefined if the release's ONNX Runtime knows the operator. Kernels for element types and devices are not considered. */
export const operatorProblem = (
  { domain, name, version }: Operator,
  { onnxruntime }: TritonRelease,
): OperatorProblem | undefined => {
  const { groups, names } = byDomain().get(domain) ?? {};
  if (groups === undefined || names === undefined) return { kind: "domain" };
  const all = groups.get(name);
  if (all === undefined) {
    const other = [...byDomain()].find(([, { groups: others }]) => others.has(name))?.[0];
    return { kind: "name", near: didYouMean(name, names), other };
  }
  const own = all.filter((group) => isIn(group, onnxruntime));
  if (own.length === 0) {
    const having = releases.filter((one) => all.some((group) => isIn(group, one.onnxruntime)));
    const [first = "", last = first] = [having[0]?.container, having.at(-1)?.container];
    return { kind: "release", first, last };
  }
  if (version === undefined) return undefined;
  if (own.some(({ since, until = version }) => since <= version && version <= until)) return undefined;
  const later = own.find(({ since }) => since > version);
  return later === undefined
    ? { kind: "removed", until: Math.max(...own.map(({ until = 0 }) => until)) }
    : { kind: "too-old", since: later.since };
};

/** Whether a group belongs to a version of ONNX Runtime. */
export const isIn = (
  { firstRuntime = 0, lastRuntime = Infinity }: Pick<OperatorGroup, "firstRuntime" | "lastRuntime">,
  runtime: string,
): boolean => {
  const minor = Number(runtime.split(".")[1]);
  return firstRuntime <= minor && minor <= lastRuntime;
};

interface DomainOperators {
  readonly groups: Map<string, OperatorGroup[]>;
  readonly names: string[];
}

let known: ReadonlyMap<string, DomainOperators> | undefined;
const byDomain = (): ReadonlyMap<string, DomainOperators> => (known ??= collect());

const collect = (): ReadonlyMap<string, DomainOperators> => {
  const found = new Map<string, DomainOperators>();
  for (const group of onnxOperators) {
    const { groups, names } = found.get(group.domain) ?? {
      groups: new Map<string, OperatorGroup[]>(),
      names: [],
    };
    found.set(group.domain, { groups, names });
    for (const name of group.names.split(" ")) {
      if (!groups.has(name)) names.push(name);
      groups.set(name, [...(groups.get(name) ?? []), group]);
    }
  }
  return found;
};
