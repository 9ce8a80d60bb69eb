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

/** One entry of a model's `model_warmup`: a one-row request, sent `batchSize` times at the same time. */
export interface WarmupEntry {
  readonly name: string;
  readonly batchSize: number;
  readonly count: number;
  readonly opt: boolean;
  readonly inputs: ReadonlyMap<string, WarmupTensor>;
  /** The sample that the request was captured from. */
  readonly captured?: { readonly ensemble: string; readonly sample: string };
}
