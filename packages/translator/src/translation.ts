import type { NamedShapes, Shape } from "./json/shape.ts";

/** A position in a user's file. `file`: path from the project's root, with "/"; `line` and `column` start at 1. */
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
  /** The construct, and the reason why it has no exact equivalent in Python. */
  readonly what: string;
  /** The suggested replacement. */
  readonly instead: string;
  /** Whether Node cannot run the construct either. */
  readonly neverOnNode?: true;
}

/** The result of translating a function. */
export interface Translation {
  /** All refusals, in source order. If there are any, `translated` is undefined. */
  readonly refusals: readonly Refusal[];
  readonly translated: Translated | undefined;
  /** Types of the inputs that are JSON text, by name. */
  readonly jsonInputs: Readonly<Record<string, JsonShape>>;
  /** An ES module that parses and checks these inputs, for a function that is not translated. */
  readonly jsonReaders?: string | undefined;
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

/** A function as Python and as JavaScript. In Python, strings are str of UTF-16 units, numbers are float or int, null is None. */
export interface Translated {
  /** Standard-library modules that `support` and `python` use. */
  readonly imports: readonly string[];
  /** Python code of the support functions that are used, directly or indirectly; "" if there are none. */
  readonly support: string;
  /** Python code of the user's constants and functions, dependencies first. */
  readonly python: string;
  /** Name of the Python function for `run`, which takes one dict of inputs and returns one dict of outputs. */
  readonly entry: string;
  /** Source positions of the lines of `python`. */
  readonly lines: readonly MappedLine[];
  /** The same declarations without types: one self-contained ES module that exports `run`. */
  readonly javascript: string;
  /** Source positions of the lines of `javascript`. */
  readonly javascriptLines: readonly MappedLine[];
  /** The user's files that contain the code, relative to the root. */
  readonly files: readonly string[];
}
