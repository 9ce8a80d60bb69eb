import type { OptionalTensorType, StreamTensorType, TensorType } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import { bytes, fp32, int64, optional } from "./dtype-name.ts";
import type { Inferring } from "./inferring.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import { makeStep, type Step } from "./step.ts";
import type { Streaming } from "./values.ts";

/** How the next token is chosen. */
export type GenerateSearch =
  | {
      /** The most likely token. */
      readonly kind: "greedy";
    }
  | {
      /** A token drawn according to its probability. The same seed, row position and input give the same tokens in any batch. */
      readonly kind: "sample";
      /** A value above 1 makes the probabilities more even, a value below 1 less even. Default 1. */
      readonly temperature?: number;
      /** Draws only from this many of the most likely tokens. Default 50, as in Hugging Face; 0 means all tokens. */
      readonly topK?: number;
      /** Draws only from the most likely tokens that together have this share of the probability. Default 1: all. */
      readonly topP?: number;
      /** Default 0. */
      readonly seed?: number;
    }
  | {
      /** Beam search, as in Hugging Face. */
      readonly kind: "beam";
      /** Sequences followed in parallel; at least 2. */
      readonly beams: number;
      /** Finished sequences are ranked by their score divided by length ** lengthPenalty. Default 1. */
      readonly lengthPenalty?: number;
      /**
       * true stops when `beams` sequences have ended; `"never"` stops when no better sequence is possible. Default false: a heuristic
       * between the two.
       */
      readonly earlyStopping?: boolean | "never";
      /** Normalize probabilities over the tokens that the rules allow, as Marian's models do. Default false. */
      readonly renormalizeLogits?: boolean;
      /**
       * How many of the best sequences to return per row: `sequences` gets a dim for them. Default: the best one, without that
       * dim.
       */
      readonly returnSequences?: number;
      /** Adds an output `scores` with the sequences' scores, FP32[batch, 1] or [batch, returnSequences]. Default false. */
      readonly scores?: boolean;
    };

/** A setting that a request may specify for each row, as an optional input with this name: [batch, 1]; `stop` is [batch, stops]. */
export type GenerateParameter =
  | "forced_bos_token_id"
  | "max_new_tokens"
  | "min_new_tokens"
  | "no_repeat_ngram_size"
  | "repetition_penalty"
  | "seed"
  | "stop"
  | "temperature"
  | "top_k"
  | "top_p";

/** How the tokens of a streaming step become text, as in a `detokenizer`. */
export interface GenerateText {
  /** Folder with the model's `tokenizer.json`, relative to the project's root. */
  readonly from: string;
  /** Removes special tokens (`</s>`) from the text. Default true. The pad token is always removed. */
  readonly skipSpecialTokens?: boolean;
  /** Removes the spaces before punctuation and English contractions. Default: as in a `detokenizer`. */
  readonly cleanUp?: boolean;
}

/**
 * Options for a step that runs the loop around an exported language model. Missing options are read from `generation_config.json` in
 * `from`, or otherwise from `config.json` in the same folder.
 */
export interface GenerateOptions extends ModelFields {
  /** Name of the model in the repository. */
  readonly name: string;
  /**
   * Folder with optimum's export, relative to the project's root: `encoder_model.onnx`, `decoder_model_merged.onnx` or `decoder_model.onnx`
   * and `decoder_with_past_model.onnx`, or `model.onnx`, with `config.json` and `generation_config.json`.
   */
  readonly from?: string;
  /** The encoder, as a path relative to the project's root. Default: optimum's file name in `from`; a decoder-only model has no encoder. */
  readonly encoder?: string;
  /** The decoder that takes a cache, or the decoder for the first token. Default: optimum's file name in `from`. */
  readonly decoder?: string;
  /** The decoder for later tokens, if `decoder` takes no cache. Default: optimum's file name in `from`. */
  readonly decoderWithPast?: string;
  /** How the next token is chosen. Default: from the configuration, otherwise greedy. */
  readonly search?: GenerateSearch;
  /** Maximum number of new tokens per row, including the end token; a request may set fewer. */
  readonly maxNewTokens?: number;
  /** Minimum number of new tokens before the end token. Default 0. */
  readonly minNewTokens?: number;
  /** A value above 1 makes tokens that already occurred less likely. Default 1. */
  readonly repetitionPenalty?: number;
  /** No sequence of this many tokens occurs twice. Default 0: no limit. */
  readonly noRepeatNgramSize?: number;
  /** Tokens that end a sequence. */
  readonly eosTokenId?: number | readonly number[];
  /** Pads the ends of shorter sequences. Default: the first end token. */
  readonly padTokenId?: number;
  /** The token from which the decoder of an encoder-decoder starts. */
  readonly decoderStartTokenId?: number;
  /** The first new token of an encoder-decoder, regardless of the scores: the target language in M2M100 and NLLB. Default none. */
  readonly forcedBosTokenId?: number;
  /** The token that is forced as the last one at `maxNewTokens`. Default none. */
  readonly forcedEosTokenId?: number;
  /** Tokens that are never generated. Default none. */
  readonly suppressTokens?: readonly number[];
  /** Maximum number of tokens per row. Default: the number of positions in the configuration; a longer row makes its request fail. */
  readonly maxPositions?: number;
  /**
   * Sends tokens as they are generated: the model is decoupled, and answers a one-row request with any number of responses, each with the
   * tokens that are new since the previous one. Rows of different requests run together, and can join and leave at every token. Not
   * available with beams. An ensemble around it streams too; its `maxBatchSize` must be 1. Default false: one answer per request, when all
   * of its rows have ended.
   */
  readonly stream?: boolean;
  /**
   * Two outputs, BYTES[batch, 1]: `text`, the text of the tokens in whole characters, and `finish_reason`: in the last response `"stop"` after
   * an end token or a stop string, otherwise `"length"`; before that, an empty text. Only with `stream`. Default: none.
   */
  readonly text?: GenerateText;
  /** Stop strings, which end a row. The answer's text never contains any part of them. Only with `text`. Default: none. */
  readonly stop?: readonly string[];
  /** Settings that requests may set themselves. Default: none. */
  readonly perRequest?: readonly GenerateParameter[];
  /** Name of the dim of the input tokens; default `"seq"`. */
  readonly seq?: string;
  /** Name of the dim of the new tokens; default `"generated"`. */
  readonly generated?: string;
  /** Maximum number of rows that run together. Default: the ensemble's; 32 with `stream`. */
  readonly maxBatchSize?: number;
  /** Lets requests run together; null turns this off. Default: all requests that are waiting when the model becomes free. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Requests that Triton sends to this model before it is ready; as on an `onnx` step. Default none. */
  readonly modelWarmup?: readonly ModelWarmup<GenerateInputs>[];
}

type GenerateInputs = {
  /** Token ids, padded at any position. */
  readonly input_ids: TensorType<"INT64", ["batch", "seq"]>;
  /** The mask: 0 where `input_ids` contains padding. */
  readonly attention_mask: TensorType<"INT64", ["batch", "seq"]>;
};
type ParameterType<P extends GenerateParameter> = P extends "stop"
  ? OptionalTensorType<"BYTES", ["batch", "stops"]>
  : OptionalTensorType<
      P extends "repetition_penalty" | "temperature" | "top_p" ? "FP32" : "INT64",
      ["batch", 1]
    >;
type Named<T, K extends string, Otherwise extends string> = T extends {
  readonly [N in K]: infer Name extends string;
}
  ? Name
  : Otherwise;
type Parameters<T> = T extends { readonly perRequest: readonly (infer P extends GenerateParameter)[] }
  ? P
  : never;
type Returned<T> = T extends { readonly search: { readonly returnSequences: infer N extends number } }
  ? N
  : never;
type Scored<T> = T extends { readonly search: { readonly scores: true } } ? "scores" : never;
type Spelled<T> = T extends { readonly text: object } ? "finish_reason" | "text" : never;
type SequenceDims<T> = [Returned<T>] extends [never]
  ? ["batch", Named<T, "generated", "generated">]
  : ["batch", Returned<T>, Named<T, "generated", "generated">];

/** The options that specify the location of the export. */
type From = { readonly from: string } | { readonly decoder: string };

/** The options that are mutually exclusive. */
type Refused<T> = (T extends Streaming
  ? T extends { readonly search: { readonly kind: "beam" } }
    ? { readonly search: "✗ beams cannot stream: a later token may change the earlier ones" }
    : unknown
  : T extends { readonly text: object }
    ? { readonly text: "✗ only a streaming step has `text`: set `stream: true`, or call a `detokenizer`" }
    : unknown) &
  (T extends { readonly text: object }
    ? unknown
    : T extends { readonly stop: object }
      ? { readonly stop: "✗ `stop` needs `text`, whose tokenizer turns tokens into text" }
      : unknown);

/**
 * Ids → ids: the loop around an exported encoder-decoder or decoder with its cache, which handles all waiting requests together.
 * `sequences` contains only the new tokens, including the end token, padded to the longest row of the request.
 */
export const generate = <const T extends GenerateOptions>(
  options: Inferring<T, GenerateOptions & From & Refused<T>>,
): Step<
  {
    readonly [K in keyof GenerateInputs | Parameters<T>]: K extends GenerateParameter
      ? ParameterType<K>
      : TensorType<"INT64", ["batch", Named<T, "seq", "seq">]>;
  },
  {
    readonly [K in "sequences" | Scored<T> | Spelled<T>]: K extends "scores"
      ? TensorType<"FP32", ["batch", [Returned<T>] extends [never] ? 1 : Returned<T>]>
      : K extends "finish_reason" | "text"
        ? StreamTensorType<"BYTES", ["batch", 1]>
        : T extends Streaming
          ? StreamTensorType<"INT64", SequenceDims<T>>
          : TensorType<"INT64", SequenceDims<T>>;
  }
> => {
  checkOptions("generate", options);
  const { name, seq = "seq", generated = "generated", ...rest } = options as GenerateOptions;
  const { search, perRequest, text, stream } = rest;
  const sent = stream === true ? { stream } : {};
  const spelled = { ...bytes("batch", 1), ...sent };
  const beam = search?.kind === "beam" ? search : undefined;
  const returned = beam?.returnSequences;
  const parameters = Array.isArray(perRequest) ? (perRequest as readonly string[]) : [];
  return makeStep({
    kind: "generate",
    name,
    inputs: {
      input_ids: int64("batch", seq),
      attention_mask: int64("batch", seq),
      ...Object.fromEntries(parameters.map((parameter) => [parameter, optional(parameterType(parameter))])),
    },
    outputs: {
      sequences: {
        ...(returned === undefined ? int64("batch", generated) : int64("batch", returned, generated)),
        ...sent,
      },
      ...(beam?.scores === true ? { scores: fp32("batch", returned ?? 1) } : {}),
      ...(text === undefined ? {} : { text: spelled, finish_reason: spelled }),
    },
    options: rest,
    calledAs: generate,
  }) as never;
};

const parameterType = (parameter: string): TensorType => {
  if (parameter === "stop") return bytes("batch", "stops");
  return fractional.has(parameter) ? fp32("batch", 1) : int64("batch", 1);
};

const fractional: ReadonlySet<string> = new Set(["repetition_penalty", "temperature", "top_p"]);
