import type { GenerateTwinOptions } from "@tritype/manifest";
import type { AcceptedValues } from "../step-kind.ts";

/**
 * The values that a request may set for the parameter of this name, as the emitted `model.py` checks them; undefined:
 * any value of the dtype.
 */
export const acceptedParameter = (
  name: string,
  { exported, settings }: Pick<GenerateTwinOptions, "exported" | "settings">,
): AcceptedValues | undefined => {
  if (name === "forced_bos_token_id") return { minimum: 0, maximum: exported.scored - 1 };
  if (name === "max_new_tokens") return { minimum: 1, maximum: settings.max_new_tokens };
  return limits.get(name);
};

const limits: ReadonlyMap<string, AcceptedValues> = new Map([
  ["min_new_tokens", { minimum: 0 }],
  ["no_repeat_ngram_size", { minimum: 0 }],
  ["top_k", { minimum: 0 }],
  ["repetition_penalty", { exclusiveMinimum: 0 }],
  ["temperature", { exclusiveMinimum: 0 }],
  ["top_p", { exclusiveMinimum: 0, maximum: 1 }],
]);
