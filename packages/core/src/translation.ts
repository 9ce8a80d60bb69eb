import type { Span } from "./span.ts";

/** A construct in a function that has no exact equivalent in Python. */
export interface Refusal {
  /** Permanent name, such as `step/clock`. */
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

/** A function as Python and as JavaScript. In Python, strings are str of UTF-16 units, numbers are float or int, null is None. */
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
