/** One definition of the support code: a function, a class or a constant. */
export interface SupportPiece {
  /** Other pieces that its text names. */
  readonly needs?: readonly string[];
  /** Modules of Python's standard library that its text names. */
  readonly imports?: readonly string[];
  /** Python without a line break at the end; a function where it takes the building Node to make it. */
  readonly text: string | (() => string);
}

/** Pieces by the name that their text defines. */
export type SupportPieces = Readonly<Record<string, SupportPiece>>;
