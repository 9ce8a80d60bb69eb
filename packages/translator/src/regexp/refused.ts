/** The reason why a regular expression has no equivalent in Python. */
export interface RegExpRefusal {
  readonly kind: "refused";
  /** Position in the source, in units. */
  readonly at: number;
  readonly what: string;
  readonly instead: string;
}

/** Thrown while a regular expression is read or checked, and caught where its translation starts. */
export class Refused extends Error {
  readonly refusal: RegExpRefusal;
  constructor(at: number, what: string, instead: string) {
    super(what);
    this.refusal = { kind: "refused", at, what, instead };
  }
}
