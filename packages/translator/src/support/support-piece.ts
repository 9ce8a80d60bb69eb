/** One definition of the support code: a function, a class or a constant. */
export interface SupportPiece {
  /** Other pieces that its text refers to. */
  readonly needs?: readonly string[];
  /** Modules of Python's standard library that its text refers to. */
  readonly imports?: readonly string[];
  /** Python without a line break at the end; a function if generating it requires the Node of the build. */
  readonly text: string | (() => string);
}

/** Pieces by the name that their text defines. */
export type SupportPieces = Readonly<Record<string, SupportPiece>>;
