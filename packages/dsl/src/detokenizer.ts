import type { TensorType } from "@tritype/core";
import { checkIds, checkOptions } from "./check-options.ts";
import { bytes, type DTypeName, int64 } from "./dtype-name.ts";
import type { Inferring } from "./inferring.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import { makeStep } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** Options for one version. */
interface OneFolder {
  /** Folder with `tokenizer.json`, relative to the project's root. */
  readonly from: string;
}

export interface DetokenizerOptions extends ModelFields {
  /** Name of the model in the repository. */
  readonly name: string;
  /** Folder with `tokenizer.json`, relative to the project's root: version 1 of the model. */
  readonly from?: string;
  /** Instead of `from`: the folder of each version, `{ 1: { from: "assets/v1" }, … }`; the other options are shared. */
  readonly versions?: Versions<OneFolder>;
  /** Removes special tokens (`[CLS]`, `</s>`, `__en__`) from the text. Default true. The pad token is always removed. */
  readonly skipSpecialTokens?: boolean;
  /**
   * Removes the spaces before punctuation and English contractions, like `clean_up_tokenization_spaces` in transformers. Default: the value
   * in `tokenizer_config.json` next to the file, otherwise false.
   */
  readonly cleanUp?: boolean;
  /** dtype of the ids. Default int64. */
  readonly ids?: DTypeName<"INT64"> | DTypeName<"INT32">;
  /**
   * Whether the Python of the steps right before and after this one runs in this step's model, if nothing else needs the tensors between
   * them. This saves a request for each of these steps. They must be functions, tokenizers or detokenizers without settings of their own.
   * `false` also keeps this step out of their models. Default true.
   */
  readonly fuse?: boolean;
  /** Largest batch that Triton may form. Default: the ensemble's value. */
  readonly maxBatchSize?: number;
  /** Merges requests into batches; null turns this off. Default: the ensemble's `members`, otherwise as soon as an instance is free. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Requests that Triton sends to this model before it is ready; as on an `onnx` step. Default none. */
  readonly modelWarmup?: readonly ModelWarmup<DetokenizerInputs>[];
}

type DetokenizerInputs = {
  /** Token ids; shorter rows are padded with the pad token. */
  readonly ids: TensorType<"INT64" | "INT32", ["batch", "tokens"]>;
};

type IdsDType<T extends DetokenizerOptions> = T["ids"] extends DTypeName<"INT32"> ? "INT32" : "INT64";

/**
 * Token ids [batch, tokens] → text BYTES[batch, 1], exactly as Hugging Face `tokenizers` does. An id without
 * a token in the file makes its request fail.
 */
export const detokenizer = <const T extends DetokenizerOptions>(
  options: Inferring<T, OneOrVersions<T, DetokenizerOptions, OneFolder>>,
): StepOf<
  { readonly ids: TensorType<IdsDType<T>, ["batch", "tokens"]> },
  { readonly text: TensorType<"BYTES", ["batch", 1]> },
  T
> => {
  checkOptions("detokenizer", options);
  const { name, ids = int64, ...rest } = options as DetokenizerOptions;
  checkIds(name, ids);
  return makeStep({
    kind: "detokenizer",
    name,
    inputs: { ids: (ids as DTypeName<"INT64">)("batch", "tokens") },
    outputs: { text: bytes("batch", 1) },
    options: { ...rest, ids: ids.dtype },
    calledAs: detokenizer,
  }) as never;
};
