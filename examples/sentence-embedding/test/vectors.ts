import { type Triple, pairs } from "./pairs.ts";

/** The example's output for one text. */
export type Vector = readonly number[];

/** Every text of the triples: anchor, similar, unrelated, and so on. */
export const tripleTexts: readonly string[] = pairs.flatMap((triple) => [
  triple.anchor,
  triple.similar,
  triple.unrelated,
]);

/** The triples whose anchor is not nearer to the similar sentence than to the unrelated one, by the vectors of `tripleTexts`. */
export const misjudged = (vectors: readonly Vector[]): readonly Triple[] =>
  pairs.filter((_, index) => {
    const [anchor, similar, unrelated] = vectors.slice(index * 3, index * 3 + 3);
    if (anchor === undefined || similar === undefined || unrelated === undefined) return true;
    return !(dot(anchor, similar) > dot(anchor, unrelated));
  });

export const lengthOf = (vector: Vector): number => Math.sqrt(dot(vector, vector));

const dot = (a: Vector, b: Vector): number =>
  a.reduce((sum, x, index) => sum + x * (b[index] ?? Number.NaN), 0);

/** The largest absolute difference between corresponding elements; NaN if shapes differ or an element is NaN. */
export const largestDifference = (actual: readonly Vector[], expected: readonly Vector[]): number => {
  if (actual.length !== expected.length) return Number.NaN;
  return Math.max(
    ...actual.map((vector, row) => {
      const other = expected[row] ?? [];
      if (vector.length !== other.length) return Number.NaN;
      return Math.max(...vector.map((x, index) => Math.abs(x - (other[index] ?? Number.NaN))));
    }),
  );
};
