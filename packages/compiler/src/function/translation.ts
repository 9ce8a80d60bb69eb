import type { Json, Span } from "@tritype/core";

/** The translation of a function, or the reasons why it is impossible. `@tritype/translator` creates it. */
export interface Translation {
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

/** A construct in a function that has no exact equivalent in Python. */
export interface Refusal {
  readonly code: string;
  readonly at: Span;
  /** The construct, and the reason why it is refused. */
  readonly what: string;
  /** The suggested replacement. */
  readonly instead: string;
  /** Whether Node cannot run the construct either. */
  readonly neverOnNode?: true;
}

/** A line number in the emitted code, from 1, and its position in the source. */
export interface MappedLine {
  readonly line: number;
  readonly at: Span;
}

/** A function translated to Python and to JavaScript. */
export interface Translated {
  /** Modules of Python's standard library that the code uses. */
  readonly imports: readonly string[];
  /** Support code for JavaScript behaviour that differs from Python's; "" if none is needed. */
  readonly support: string;
  /** The user's constants and functions, dependencies first. */
  readonly python: string;
  /** A Python function from a dict of inputs to a dict of outputs. */
  readonly entry: string;
  /** Lines of `python`, ascending. */
  readonly lines: readonly MappedLine[];
  /** An ES module without imports that exports `run`. */
  readonly javascript: string;
  /** Lines of `javascript`, ascending. */
  readonly javascriptLines: readonly MappedLine[];
  /** The user's files that it was compiled from, relative to the project's root. */
  readonly files: readonly string[];
}

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
export type Translate = (at: Span, options: TranslateOptions) => Translation;
