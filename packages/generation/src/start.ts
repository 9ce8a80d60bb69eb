import type { Settings } from "./settings.ts";

/** What a row starts from. */
export interface Start {
  /** What the model starts from. */
  readonly prompt: readonly number[];
  /** What the rules see before the first new token. */
  readonly ids: readonly number[];
  /** Its place in its request. */
  readonly row: number;
  readonly settings: Settings;
}
