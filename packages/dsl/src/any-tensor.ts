import type { Dims, DType } from "@tritype/core";
import type { NodeRef } from "./trace.ts";

/** Any tensor handle; constraints use it so that methods are never compared structurally. */
export interface AnyTensor {
  readonly dtype: DType;
  readonly dims: Dims;
  readonly "~node": NodeRef;
}
