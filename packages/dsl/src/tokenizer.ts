import type { OptionalTensorType, TensorType } from "@tritype/core";
import { checkIds, checkOptions } from "./check-options.ts";
import { bytes, type DTypeName, int64 } from "./dtype-name.ts";
import type { Inferring } from "./inferring.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import { makeStep } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** The length to which the rows of one request are padded: the longest row, `maxLength`, the next multiple, or the next bucket. */
export type Padding =
  | "longest"
  | "maxLength"
  | {
      /** Every length is a multiple of this number of tokens, and at most `maxLength`. */
      readonly multipleOf: number;
    }
  | {
      /** Lengths in tokens, ascending: the first one that fits the longest row is used. */
      readonly buckets: readonly number[];
    };

/** Options for one version. */
interface OneFolder {
  /** Folder with `tokenizer.json`, relative to the project's root. */
  readonly from: string;
}

/** Lets each request choose languages, for multilingual translation models (M2M100, NLLB, mBART). */
export interface TokenizerLanguages {
  /**
   * Adds an input `source_language`, BYTES[batch, 1], whose token replaces the file's language token, or otherwise comes first in each row.
   * Default false.
   */
  readonly source?: boolean;
  /**
   * Adds an input `target_language`, BYTES[batch, 1], whose token id becomes the output `forced_bos_token_id`, INT64[batch, 1]. Default
   * false.
   */
  readonly target?: boolean;
  /**
   * The added tokens that are languages: `"__*__"`, where the star stands for the language's name in requests, or `{ en: "__en__" }`.
   * Default: the naming schemes of M2M100 (`__en__`, where requests use `en`), NLLB (`eng_Latn`) and mBART (`en_XX`).
   */
  readonly tokens?: string | Readonly<Record<string, string>>;
}

export interface TokenizerOptions extends ModelFields {
  /** Name of the model in the repository. */
  readonly name: string;
  /** Folder with `tokenizer.json`, relative to the project's root: version 1 of the model. */
  readonly from?: string;
  /**
   * Instead of `from`: the folder of each version, `{ 1: { from: "assets/v1" }, 2: { from: "assets/v2" } }`; the other options are shared.
   * Triton only serves the highest version unless `versionPolicy` says otherwise.
   */
  readonly versions?: Versions<OneFolder>;
  /** Maximum number of tokens per row, including special tokens. Truncation settings in the file are ignored. */
  readonly maxLength: number;
  /** Default `"longest"`. Padding settings in the file are ignored. */
  readonly padding?: Padding;
  /**
   * Truncates rows that are longer than `maxLength`. In a pair, either the longer text is truncated first, or only the named text; a row
   * that is still too long makes its request fail. Default true; if false, every longer row makes its request fail.
   */
  readonly truncation?: boolean | "onlyFirst" | "onlySecond";
  /** The side on which texts are truncated. Default: from `tokenizer_config.json` or the file, otherwise `"right"`. */
  readonly truncationSide?: "left" | "right";
  /** The side on which shorter rows are padded. Default: from the file or `tokenizer_config.json`, otherwise `"right"`. */
  readonly paddingSide?: "left" | "right";
  /** Adds `[CLS]`, `</s>` and similar tokens, as defined in the file. Default true. */
  readonly addSpecialTokens?: boolean;
  /** Text that is added in front of every input text, such as `"query: "`. Default none. */
  readonly prefix?: string;
  /** Adds an input `text_pair` for a second text per row. Default false. */
  readonly pair?: boolean;
  /**
   * Whether the Python of the steps right before and after this one runs in this step's model, if nothing else needs the tensors between
   * them. This saves a request for each of these steps. They must be functions, tokenizers or detokenizers without settings of their own.
   * `false` also keeps this step out of their models. Default true.
   */
  readonly fuse?: boolean;
  /** dtype of ids and masks. Default int64. */
  readonly ids?: DTypeName<"INT64"> | DTypeName<"INT32">;
  /** Adds an output `token_type_ids`, [batch, seq]: 0 for the first text, 1 for the second. Default false. */
  readonly tokenTypeIds?: boolean;
  /**
   * Adds an output `offsets`, [batch, seq, 2]: the start and end of every token, in Unicode code points of its text including the prefix.
   * Default false.
   */
  readonly offsets?: boolean;
  /** Adds an output `special_tokens_mask`, [batch, seq]: 1 for a token that does not come from the text. Default false. */
  readonly specialTokensMask?: boolean;
  /** Languages that each request chooses: the source token in each row, and the token with which a translation begins. Default none. */
  readonly languages?: TokenizerLanguages;
  /** Name of the sequence dim; default `"seq"`. */
  readonly seq?: string;
  /** Largest batch that Triton may form. Default: the ensemble's value. */
  readonly maxBatchSize?: number;
  /** Merges requests into batches; null turns this off. Default: the ensemble's `members`, otherwise as soon as an instance is free. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Requests that Triton sends to this model before it is ready; as on an `onnx` step. Default none. */
  readonly modelWarmup?: readonly ModelWarmup<TokenizerInputs>[];
}

type TokenizerInputs = {
  /** One text per row. */
  readonly text: TensorType<"BYTES", ["batch", 1]>;
  /** With `pair`: the second text of each row. */
  readonly text_pair: OptionalTensorType<"BYTES", ["batch", 1]>;
  /** With `languages.source`: the language of each text. */
  readonly source_language: OptionalTensorType<"BYTES", ["batch", 1]>;
  /** With `languages.target`: the language to translate each text into. */
  readonly target_language: OptionalTensorType<"BYTES", ["batch", 1]>;
};

type SeqDim<T extends TokenizerOptions> = T["padding"] extends "maxLength"
  ? T["maxLength"]
  : T["seq"] extends string
    ? T["seq"]
    : "seq";
type IdsDType<T extends TokenizerOptions> = T["ids"] extends DTypeName<"INT32"> ? "INT32" : "INT64";
type Named<
  T extends TokenizerOptions,
  Side extends "source" | "target",
  K extends string,
> = T["languages"] extends {
  readonly [S in Side]: true;
}
  ? K
  : never;
type When<Flag, K extends string> = Flag extends true ? K : never;

/** Text → ids and masks, exactly like Hugging Face `tokenizers`. The options determine its inputs and outputs. */
export const tokenizer = <const T extends TokenizerOptions>(
  options: Inferring<T, OneOrVersions<T, TokenizerOptions, OneFolder>>,
): StepOf<
  {
    readonly [K in
      | "text"
      | When<T["pair"], "text_pair">
      | Named<T, "source", "source_language">
      | Named<T, "target", "target_language">]: TensorType<"BYTES", ["batch", 1]>;
  },
  {
    readonly [K in
      | "input_ids"
      | "attention_mask"
      | When<T["tokenTypeIds"], "token_type_ids">
      | When<T["specialTokensMask"], "special_tokens_mask">
      | When<T["offsets"], "offsets">
      | Named<T, "target", "forced_bos_token_id">]: K extends "forced_bos_token_id"
      ? TensorType<"INT64", ["batch", 1]>
      : TensorType<IdsDType<T>, K extends "offsets" ? ["batch", SeqDim<T>, 2] : ["batch", SeqDim<T>]>;
  },
  T
> => {
  checkOptions("tokenizer", options);
  const { name, ids = int64, seq = "seq", ...rest } = options as TokenizerOptions;
  checkIds(name, ids);
  const length = rest.padding === "maxLength" ? rest.maxLength : seq;
  const tensor = (ids as DTypeName<"INT64">)("batch", length);
  const text = bytes("batch", 1);
  return makeStep({
    kind: "tokenizer",
    name,
    inputs: {
      text,
      ...(rest.pair === true ? { text_pair: text } : {}),
      ...(rest.languages?.source === true ? { source_language: text } : {}),
      ...(rest.languages?.target === true ? { target_language: text } : {}),
    },
    outputs: {
      input_ids: tensor,
      attention_mask: tensor,
      ...(rest.tokenTypeIds === true ? { token_type_ids: tensor } : {}),
      ...(rest.specialTokensMask === true ? { special_tokens_mask: tensor } : {}),
      ...(rest.offsets === true ? { offsets: (ids as DTypeName<"INT64">)("batch", length, 2) } : {}),
      ...(rest.languages?.target === true ? { forced_bos_token_id: int64("batch", 1) } : {}),
    },
    options: { ...rest, ids: ids.dtype },
    calledAs: tokenizer,
  }) as never;
};
