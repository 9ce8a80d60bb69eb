/** A position in a source file: 1-based line and column. */
export interface Span {
  /** Path from the project's root, with "/". */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The call stack, innermost user frame first; later frames are its callers. */
export type Site = readonly Span[];
