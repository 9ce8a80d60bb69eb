import type { ModelConfig } from "./generated/model-config.ts";
import { positionsIn } from "@tritype/core";
import { readConfigText } from "./read-config-text.ts";

/** The reason why a text is not a ModelConfig. */
export interface ConfigProblem {
  readonly message: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column?: number;
}
export type ParsedModelConfig = { readonly config: ModelConfig } | { readonly problem: ConfigProblem };

/**
 * Reads the text of a `config.pbtxt` as Triton does: text that Triton's parser refuses gives a problem with
 * its position; any text that it accepts gives a config. In strings, bytes that are not UTF-8 are
 * U+FFFD. The config contains
 * the fields that the text gives: defaults are not added, and empty lists and maps are left out. A number that is not
 * in an enum (`data_type: 99` loads in Triton) stays a number.
 */
export const parseModelConfig = (text: string): ParsedModelConfig => {
  const { config, faults } = readConfigText(text);
  const [first] = faults;
  if (first === undefined) return { config };
  return { problem: { message: first.message, ...positionsIn(text)(first.offset) } };
};
