/** One definition of the support code: a function, a class or a constant. */
export interface SupportPiece {
  /** Other pieces that its text refers to. */
  readonly needs?: readonly string[];
  /** Standard-library modules that its text refers to. */
  readonly imports?: readonly string[];
  /** Python without a final line break; a function if the text depends on the Node of the build. */
  readonly text: string | (() => string);
}

/** Support pieces by the name that they define. */
export type SupportPieces = Readonly<Record<string, SupportPiece>>;
