import type { Dims, DType } from "@tritype/core";
import type { ShowDims } from "./dims.ts";

/** `FP32[batch, 384]`: the type-level twin of `showType` in @tritype/core. */
export type Show<D extends DType, S extends Dims> = `${D}[${ShowDims<S>}]`;
