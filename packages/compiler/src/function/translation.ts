import type { Span } from "@tritype/core";

/** What a function became in another language, or why it cannot. `@tritype/translator` makes it. */
export interface Translation {
  /** All of them, in the order of their places; with one, `translated` is undefined. */
  readonly refusals: readonly Refusal[];
  readonly translated: Translated | undefined;
}

/** Something of a function that has no exact meaning in Python. */
export interface Refusal {
  readonly code: string;
  readonly at: Span;
  /** What stands there, and why not. */
  readonly what: string;
  /** What to write instead. */
  readonly instead: string;
}

/** A line of emitted text, from 1, and where it was written. */
export interface MappedLine {
  readonly line: number;
  readonly at: Span;
}

/** A function as Python and as JavaScript. */
export interface Translated {
  /** Modules of Python's standard library that the text names. */
  readonly imports: readonly string[];
  /** What JavaScript does and Python does otherwise; "" when nothing is needed. */
  readonly support: string;
  /** The user's constants and functions, dependencies first. */
  readonly python: string;
  /** Python function from a dict of inputs to a dict of outputs. */
  readonly entry: string;
  /** Lines of `python`, ascending. */
  readonly lines: readonly MappedLine[];
  /** An ES module that imports nothing and exports `run`. */
  readonly javascript: string;
  /** Lines of `javascript`, ascending. */
  readonly javascriptLines: readonly MappedLine[];
  /** The user's files it is made of, from the project's root. */
  readonly files: readonly string[];
}

export interface TranslateOptions {
  /** Name of the step, for whoever asks later what became of it. */
  readonly step: string;
  /** Names that the text around the function uses. */
  readonly reserved: readonly string[];
  /** Support functions that the text around the function calls. */
  readonly needs: readonly string[];
  /** Whether `run` takes one row, or all of a request. */
  readonly per: "row" | "request";
  /** Tensors whose elements are JSON text outside of `run`, and values in it. */
  readonly json: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
}

/** A function to translate: where its step is defined, and what its surroundings need. */
export interface TranslationRequest {
  readonly at: Span;
  readonly options: TranslateOptions;
}

/** Translates the `run` of the step that is defined at a place of the user's files. */
export type Translate = (at: Span, options: TranslateOptions) => Translation;
