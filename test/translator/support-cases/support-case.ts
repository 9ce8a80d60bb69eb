import type { Random } from "../hostile.ts";

/** What a support function promises: to do what the JavaScript does, whatever the arguments. */
export interface SupportCase {
  /** The piece that is held; others may be named beside it. */
  readonly piece: string;
  readonly with?: readonly string[];
  /** A Python callable of the arguments; the piece itself unless said. */
  readonly python?: string;
  readonly javascript: (...values: never[]) => unknown;
  /** Of one call; `at` counts the calls. */
  readonly arguments: (random: Random, at: number) => readonly unknown[];
  /** How many calls are compared; 1000 by default. */
  readonly calls?: number;
}
