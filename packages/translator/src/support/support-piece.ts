/** A definition in the support code: a function, a class or a constant. */
export interface SupportPiece {
  /** Other pieces that its code refers to. */
  readonly needs?: readonly string[];
  /** Standard-library modules that its code refers to. */
  readonly imports?: readonly string[];
  /** Python without a final line break; a function if the code depends on the build's version of Node. */
  readonly text: string | (() => string);
}

/** Support pieces by the name that they define. */
export type SupportPieces = Readonly<Record<string, SupportPiece>>;
