import type { DType } from "@tritype/core";
import * as fc from "fast-check";
import type { Attributes } from "./index.ts";

/** The sizes and attributes of one call. */
export interface Layout {
  readonly operands: readonly Operand[];
  readonly attributes: Attributes;
}
export interface Operand {
  readonly dims: readonly number[];
  /** The dtypes that the operand may have; if undefined, the dtype under test. */
  readonly dtypes?: readonly DType[];
  /** Values are indices below this number. */
  readonly below?: number;
}

export const size: fc.Arbitrary<number> = fc.integer({ min: 1, max: 4 });
export const sizeOrNone: fc.Arbitrary<number> = fc.integer({ min: 0, max: 3 });
export const dimsOf = (minRank: number, maxRank: number, of = size): fc.Arbitrary<number[]> =>
  fc.array(of, { minLength: minRank, maxLength: maxRank });
/** An axis counted from the front or the end. */
export const anyAxis = (rank: number): fc.Arbitrary<number> => fc.integer({ min: -rank, max: rank - 1 });
export const front = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);
export const without = (dims: readonly number[], axis: number, ...instead: number[]): number[] =>
  dims.toSpliced(front(axis, dims.length), 1, ...instead);
export const one = (dims: readonly number[], attributes: Attributes = {}): Layout => ({
  operands: [{ dims }],
  attributes,
});

/** Dims that broadcast to `dims`. */
export const narrowed = (dims: readonly number[]): fc.Arbitrary<number[]> =>
  fc
    .tuple(fc.integer({ min: 0, max: dims.length }), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
    .map(([cut, ones]) => dims.slice(cut).map((dim, i) => (ones[i] ? 1 : dim)));

export const anyUnary: fc.Arbitrary<Layout> = dimsOf(0, 4, sizeOrNone).map((dims) => one(dims));
export const anyBinary: fc.Arbitrary<Layout> = dimsOf(0, 4, sizeOrNone).chain((dims) =>
  fc
    .tuple(narrowed(dims), narrowed(dims))
    .map(([a, b]) => ({ operands: [{ dims: a }, { dims: b }], attributes: {} })),
);
/** Any axis except this one may be empty. */
export const withAxis = (
  more: (size: number) => fc.Arbitrary<Attributes>,
  along: fc.Arbitrary<number> = size,
  across: fc.Arbitrary<number> = fc.oneof(size, size, sizeOrNone),
): fc.Arbitrary<Layout> =>
  fc.tuple(dimsOf(1, 4, across), along).chain(([others, length]) =>
    anyAxis(others.length).chain((axis) => {
      const dims = without(others, axis, length);
      return more(length).map((attributes) => one(dims, { axis, ...attributes }));
    }),
  );
const kept = fc.boolean().map((keepDims) => ({ keepDims }));
export const reduction: fc.Arbitrary<Layout> = withAxis(() => kept);
export const reductionOfFull: fc.Arbitrary<Layout> = withAxis(() => kept, size, size);
export const reductionOfNone: fc.Arbitrary<Layout> = withAxis(() => kept, sizeOrNone);
