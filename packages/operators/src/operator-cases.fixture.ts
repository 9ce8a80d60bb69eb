/// <reference types="vite/types/importMeta.d.ts" />
import type { DType } from "@tritype/core";
import type * as fc from "fast-check";
import type * as dsl from "../../dsl/src/index.ts";
import type { Attributes } from "./index.ts";
import type { Layout } from "./layouts.fixture.ts";
import type { Reference } from "./nd-array.fixture.ts";

/** Everything that the tests and the reference know about one operator. Operands are text: `FP32[batch, 4] ; FP32[]`. */
export interface OperatorCases {
  /** The types of the results. */
  readonly types?: readonly Row<string>[];
  /** Why the operator cannot be applied: `code: sentence`. */
  readonly problems?: readonly Row<string>[];
  /** The doubt about a valid call, `code: sentence`; empty for none. `INT8[]=5` is 5 everywhere. */
  readonly doubts?: readonly Row<string>[];
  /** The effect on the axis `batch`: `0 reduces over` for the first operand; empty for none. */
  readonly batch?: readonly Row<string>[];
  /**
   * The value of `out` for operands that are 0 at padding of the axis (`FP32[batch, seq=0]`), or everywhere
   * (`FP32[]=0`).
   */
  readonly padding?: readonly Row<readonly (number | undefined)[]>[];
  /** Whether the effect along `seq` is the same with padding. */
  readonly ignoresPadding?: readonly Row<boolean>[];
  /** The ONNX nodes, `Op(input, …) attribute=…`, then the outputs. */
  readonly nodes?: readonly Row<readonly string[]>[];
  /** Accepted dtypes of the first operand; all others are refused. */
  readonly dtypes?: readonly DType[];
  /** Random sizes and attributes that the operator accepts. */
  readonly layout: fc.Arbitrary<Layout>;
  /** Whether the operator fails on zeros. */
  readonly divides?: true;
  /** The operator in plain JavaScript. */
  readonly reference?: Reference;
  /** Special floats for which ONNX Runtime agrees with the reference. Default: all of -0, NaN and both infinities. */
  readonly odd?: readonly number[];
  /** The example on the operators' reference page, which shows only the body of this function. */
  readonly example?: (tensors: ExampleTensors, functions: typeof dsl) => unknown;
}
export type Row<Expected> = readonly [operands: string, attributes: Attributes, expected: Expected];
/** The tensors of the examples. */
export interface ExampleTensors {
  readonly scores: dsl.Tensor<"FP32", ["batch", 10]>;
  readonly other: dsl.Tensor<"FP32", ["batch", 10]>;
  readonly hidden: dsl.Tensor<"FP32", ["batch", "seq", 384]>;
  readonly weights: dsl.Tensor<"FP32", ["batch", 384, 8]>;
  readonly mask: dsl.Tensor<"INT64", ["batch", "seq"]>;
  readonly ids: dsl.Tensor<"INT64", ["batch", 5]>;
  readonly one: dsl.Tensor<"FP32", ["batch", 1]>;
  readonly flags: dsl.Tensor<"BOOL", ["batch", 10]>;
  readonly labels: dsl.Tensor<"BYTES", ["batch", 10]>;
}
export type CasesOf = Readonly<Record<string, OperatorCases>>;

const files = import.meta.glob<{ readonly cases: CasesOf }>("./*.cases.ts", { eager: true });
/** The cases of every operator, by its name. */
export const operatorCases: ReadonlyMap<string, OperatorCases> = new Map(
  Object.values(files).flatMap(({ cases }) => Object.entries(cases)),
);
