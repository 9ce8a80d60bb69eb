import type { Content, Element, TensorView } from "../api.ts";

/** The names of classes: by the values of an output that consists of class numbers, or by the columns of one with scores. */
export interface ClassNames {
  readonly by: "value" | "column";
  readonly names: readonly string[];
}

/**
 * The class names for an answer, from the label files of the model's outputs. An output of class numbers without a file
 * gets the names of the only output that has one.
 */
export const classNamesOf = (
  { name, dtype, shape }: Pick<Content, "name" | "dtype" | "shape">,
  outputs: readonly TensorView[],
): ClassNames | undefined => {
  if (dtype === "BYTES" || dtype === "BOOL") return undefined;
  const { dims = [], labels: own } = outputs.find((output) => output.name === name) ?? {};
  const isWhole = dtype.includes("INT");
  const hasColumns = shape.length > (dims[0] === "batch" ? 1 : 0);
  if (
    own !== undefined &&
    own.length > 1 &&
    hasColumns &&
    shape.at(-1) === own.length &&
    !(isWhole && isClassName(name))
  )
    return { by: "column", names: own };
  if (!isClassName(name) && !(isWhole && own !== undefined)) return undefined;
  const names = own ?? onlyNames(outputs);
  return names && { by: "value", names };
};

/** The names in the only label file of a model. */
export const onlyNames = (outputs: readonly TensorView[]): readonly string[] | undefined => {
  const [first, ...others] = outputs.flatMap(({ labels }) => (labels === undefined ? [] : [labels]));
  return others.length === 0 ? first : undefined;
};

export const isClassName = (name: string): boolean => /label|class|categor|argmax/i.test(name);

/** The name for a class number; undefined if it has none. */
export const nameOfClass = (names: readonly string[], number: Element): string | undefined =>
  names[Number(number)] || undefined;

/** The highest scores of a row, with their columns. */
export const highestOf = (
  row: readonly Element[],
  count: number,
): readonly (readonly [column: number, score: number])[] =>
  row
    .map((score, column) => [column, Number(score)] as const)
    .filter(([, score]) => !Number.isNaN(score))
    .toSorted(([, a], [, b]) => b - a || 0)
    .slice(0, count);
