import type { Random } from "../hostile.ts";

/** The contract of a support function: the same result as the JavaScript, whatever the arguments. */
export interface SupportCase {
  /** The piece under test; it may use others. */
  readonly piece: string;
  readonly with?: readonly string[];
  /** A Python callable of the arguments; the piece itself by default. */
  readonly python?: string;
  readonly javascript: (...values: never[]) => unknown;
  /** The arguments of one call; `at` counts the calls. */
  readonly arguments: (random: Random, at: number) => readonly unknown[];
  /** How many calls are compared; 1000 by default. */
  readonly calls?: number;
}
