import { tensorOf } from "@tritype/core";
import type { OnnxBuilder } from "./operator.ts";

/** An entry of a shape that a node takes as input: a number, or the size of an axis of `source`. */
export type ShapeEntry = number | { readonly axis: number };

/** The shape input of Reshape and Expand: a constant if every entry is a number. */
export const shapeVector = (builder: OnnxBuilder, source: string, entries: readonly ShapeEntry[]): string => {
  const runs = runsOf(entries).map((run) =>
    typeof run === "number"
      ? sizeOf(builder, source, run)
      : builder.constant(tensorOf("INT64", [run.length], run)),
  );
  const [only] = runs;
  return only !== undefined && runs.length === 1
    ? only
    : builder.node("Concat", runs, { axis: { int: 0 } })[0];
};

const sizeOf = (builder: OnnxBuilder, source: string, axis: number): string =>
  builder.node("Shape", [source], { start: { int: axis }, end: { int: axis + 1 } })[0];

/** Adjacent numbers become one constant; an axis stays a separate entry, given by its number. */
const runsOf = (entries: readonly ShapeEntry[]): readonly (readonly number[] | number)[] => {
  const runs: (number[] | number)[] = entries.length === 0 ? [[]] : [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (typeof entry === "object") runs.push(entry.axis);
    else if (typeof last === "object") last.push(entry);
    else runs.push([entry]);
  }
  return runs;
};
