import type { CodeSet } from "./code-set.ts";

/** A parsed JavaScript regular expression. */
export type RegExpTree =
  /** A single character as written. */
  | { readonly kind: "character"; readonly code: number }
  /** One character of a set: a class, a class escape or the dot, with negation and case already applied. */
  | { readonly kind: "set"; readonly set: CodeSet }
  | { readonly kind: "sequence"; readonly items: readonly RegExpTree[] }
  | { readonly kind: "alternatives"; readonly items: readonly RegExpTree[] }
  | { readonly kind: "group"; readonly body: RegExpTree }
  | {
      readonly kind: "capture";
      readonly number: number;
      readonly name: string | undefined;
      readonly body: RegExpTree;
      readonly at: number;
    }
  | {
      readonly kind: "repeat";
      readonly body: RegExpTree;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
      readonly at: number;
    }
  | {
      readonly kind: "look";
      readonly ahead: boolean;
      readonly negative: boolean;
      readonly body: RegExpTree;
      readonly at: number;
    }
  | { readonly kind: "assertion"; readonly what: "start" | "end" | "word-bound" | "no-word-bound" }
  | { readonly kind: "reference"; readonly to: number; readonly at: number };

/** The flags that affect parsing. */
export interface RegExpMode {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
}

/** The largest character: a unit, or with `u` a code point. */
export const topOf = ({ unicode }: RegExpMode): number => (unicode ? 0x10ffff : 0xffff);
