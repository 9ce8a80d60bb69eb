import { type Dim, type Dims, showDim } from "@tritype/core";

/** The known part of a shape's number of elements: a product of a number, named sizes and unknown sizes. */
export interface Count {
  readonly factor: number;
  readonly names: readonly string[];
  readonly unknowns: number;
}

export const countOf = (dims: Dims): Count => ({
  factor: dims.reduce<number>((n, dim) => (typeof dim === "number" && dim !== -1 ? n * dim : n), 1),
  names: dims.filter((dim) => typeof dim === "string"),
  unknowns: dims.filter((dim) => dim === -1).length,
});

/** `names` minus one occurrence of each of `others`; undefined if some are missing. */
export const cancelNames = (
  names: readonly string[],
  others: readonly string[],
): readonly string[] | undefined => {
  const rest = [...names];
  for (const name of others) {
    const at = rest.indexOf(name);
    if (at === -1) return undefined;
    rest.splice(at, 1);
  }
  return rest;
};

/**
 * The size for which `rest · size = whole`: a literal, a name, -1 if unknown, or undefined if there is no such size.
 */
export const missingSize = (whole: Count, rest: Count): Dim | undefined => {
  if (rest.factor === 0) return undefined;
  const names = cancelNames(whole.names, rest.names);
  if (whole.unknowns > 0 || names === undefined) return -1;
  const factor = whole.factor / rest.factor;
  const [name] = names;
  if (name === undefined) return Number.isInteger(factor) ? factor : undefined;
  return names.length === 1 && factor === 1 ? name : -1;
};

/** Whether two counts provably differ, or cannot be proven equal although every size is a number or a name. */
export const countsDiffer = (a: Count, b: Count): boolean => {
  if (a.unknowns > 0 || b.unknowns > 0) return false;
  if (a.factor === 0 || b.factor === 0) return a.factor !== b.factor;
  return (
    a.factor !== b.factor || a.names.length !== b.names.length || cancelNames(a.names, b.names) === undefined
  );
};

/** `6·batch`; only for counts without unknown sizes. */
export const showCount = ({ factor, names }: Count): string =>
  [...(factor === 1 && names.length > 0 ? [] : [factor]), ...names.map(showDim)].join("·");
