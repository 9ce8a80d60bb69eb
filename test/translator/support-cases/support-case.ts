import type { Random } from "../hostile.ts";

/** The contract of a support function: it gives the same result as the JavaScript for all arguments. */
export interface SupportCase {
  /** The piece of support code under test, which may use other pieces. */
  readonly piece: string;
  readonly with?: readonly string[];
  /** A Python callable that takes the arguments. Default: the piece itself. */
  readonly python?: string;
  readonly javascript: (...values: never[]) => unknown;
  /** The arguments of a call. `at` is the call's number. */
  readonly arguments: (random: Random, at: number) => readonly unknown[];
  /** How many calls are compared. Default: 1000. */
  readonly calls?: number;
}
