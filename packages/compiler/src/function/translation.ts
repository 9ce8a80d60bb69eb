import type { Json, Refusal, Span, Translated } from "@tritype/core";

/** The translation of a function, or the reasons why it is impossible. `@tritype/translator` creates it. */
export interface StepTranslation {
  /** All refusals, in source order; if there is at least one, `translated` is undefined. */
  readonly refusals: readonly Refusal[];
  readonly translated: Translated | undefined;
  /** JSON Schemas of the inputs that are JSON text, as far as they are known. */
  readonly jsonSchemas?: JsonSchemas;
  /** For a function on Node: an ES module that parses these inputs and checks them, as far as their types are known. */
  readonly jsonReaders?: string | undefined;
}

/** Input → the JSON Schema of its texts. */
export type JsonSchemas = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface TranslateOptions {
  /** The name of the step, for later queries about the translation. */
  readonly step: string;
  /** Names that the code around the function uses. */
  readonly reserved: readonly string[];
  /** Support functions that the code around the function calls. */
  readonly needs: readonly string[];
  /** Whether `run` takes one row, or all rows of a request. */
  readonly per: "row" | "request";
  /** Tensors whose elements are JSON text outside `run`, and values inside it. */
  readonly json: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  /** Whether only the types of the JSON inputs are needed, because the function runs on Node. */
  readonly typesOnly?: true;
}

/** A function to translate: the position of its step's definition, and what the surrounding code needs. */
export interface TranslationRequest {
  readonly at: Span;
  readonly options: TranslateOptions;
}

/** Translates the `run` function of the step that is defined at a position in the user's files. */
export type Translate = (at: Span, options: TranslateOptions) => StepTranslation;
