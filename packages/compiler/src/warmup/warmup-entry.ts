import type { DType } from "@tritype/core";
import type { TreeFile } from "../tree.ts";

/** The source of an input's data. */
export type WarmupSource =
  | { readonly kind: "zero" }
  | { readonly kind: "random" }
  | { readonly kind: "file"; readonly file: TreeFile };

/** An input of a warmup request; dims without the batch, as in the model's configuration. */
export interface WarmupTensor {
  readonly dtype: DType;
  readonly dims: readonly number[];
  readonly source: WarmupSource;
}

/** An entry of a model's `model_warmup`: a one-row request that is sent `batchSize` times simultaneously. */
export interface WarmupEntry {
  readonly name: string;
  readonly batchSize: number;
  readonly count: number;
  readonly opt: boolean;
  readonly inputs: ReadonlyMap<string, WarmupTensor>;
  /** The sample that the request was captured from. */
  readonly captured?: { readonly ensemble: string; readonly sample: string; readonly rows?: number };
}
