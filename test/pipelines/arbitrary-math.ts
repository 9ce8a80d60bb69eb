import fc from "fast-check";
import type { Tensor } from "tritype";

/** Inputs of a few sizes, and reductions of them, some of which leave only the batch dim. */
export interface RandomMath {
  /** The dims after the batch dim. */
  readonly dims: readonly number[];
  readonly made: (x: Tensor<"FP32">) => Readonly<Record<string, Tensor>>;
}

const reductions: Readonly<Record<string, (x: Tensor<"FP32">) => Tensor>> = {
  max: (x) => x.max(-1),
  sum: (x) => x.sum(-1),
  argmax: (x) => x.argmax(-1),
  kept: (x) => x.max(-1, { keepDims: true }),
  first: (x) => x.gather(-1, 0),
  same: (x) => x.mul(2),
};

export const arbitraryMath: fc.Arbitrary<RandomMath> = fc
  .record({
    dims: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
    chosen: fc.subarray(Object.keys(reductions), { minLength: 2 }),
  })
  .map(({ dims, chosen }) => ({
    dims,
    made: (x) =>
      Object.fromEntries(
        chosen.flatMap((name) => {
          const reduce = reductions[name];
          return reduce === undefined ? [] : [[name, reduce(x)]];
        }),
      ),
  }));
