import type { NamedShapes, Shape } from "./json/shape.ts";

/** A position in a user's file. `file`: from the project's root, "/" between folders; `line` and `column` from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A construct that cannot be translated. */
export interface Refusal {
  /** Permanent name, such as `step/clock`. */
  readonly code: string;
  readonly at: Place;
  /** The construct and why it has no exact equivalent in Python. */
  readonly what: string;
  /** What to write instead. */
  readonly instead: string;
}

/** The result of translating a function. */
export interface Translation {
  /** All of them, in source order. If there is at least one, `translated` is undefined. */
  readonly refusals: readonly Refusal[];
  readonly translated: Translated | undefined;
}

/** A line of emitted text (from 1) and its source position. */
export interface MappedLine {
  readonly line: number;
  readonly at: Place;
}

/** The JSON form of a type, as plain data. */
export interface JsonShape {
  readonly shape: Shape;
  readonly named: NamedShapes;
}

/** A function as Python and as JavaScript. Strings are str of UTF-16 units, numbers float or int, null None, undefined the support code's `undefined`. */
export interface Translated {
  /** Modules of Python's standard library that `support` and `python` refer to. */
  readonly imports: readonly string[];
  /** Support functions that are used, transitively; Python text, "" if there are none. */
  readonly support: string;
  /** The user's constants and functions, dependencies first; Python text. */
  readonly python: string;
  /** Name of the Python function for `run`, which takes one dict of inputs and returns one dict of outputs. */
  readonly entry: string;
  /** Lines of `python`. */
  readonly lines: readonly MappedLine[];
  /** The same declarations without types: one self-contained ES module that exports `run`. */
  readonly javascript: string;
  /** Lines of `javascript`. */
  readonly javascriptLines: readonly MappedLine[];
  /** The user's files that it was made from, relative to the root. */
  readonly files: readonly string[];
  /** Types of the inputs that are JSON text, by name. */
  readonly jsonInputs: Readonly<Record<string, JsonShape>>;
}
