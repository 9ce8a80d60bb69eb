/** Why a regular expression has no counterpart in Python. */
export interface RegExpRefusal {
  readonly kind: "refused";
  /** Place in the source, in units. */
  readonly at: number;
  readonly what: string;
  readonly instead: string;
}

/** Thrown while a regular expression is read or checked, caught where its translation starts. */
export class Refused extends Error {
  readonly refusal: RegExpRefusal;
  constructor(at: number, what: string, instead: string) {
    super(what);
    this.refusal = { kind: "refused", at, what, instead };
  }
}
