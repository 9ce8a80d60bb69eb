import { cleanUpReplacements, type DetokenizerTwinOptions } from "@tritype/manifest";
import { detokenizerTemplate } from "../generated/python.ts";
import { printPython } from "../python-template.ts";
import type { ModelOptions } from "../step-kind.ts";
import { literal } from "../tokenizer/python-parts.ts";

/** The `model.py` of a detokenizer step for Triton's python backend. Its constants are the options of the native twin. */
export const detokenizerPython = (
  { step, padId, cleanUp, skipSpecialTokens }: DetokenizerTwinOptions,
  { holdErrors }: ModelOptions,
): string =>
  printPython(detokenizerTemplate, {
    holdErrors,
    step: literal(step),
    padId: padId === null ? undefined : String(padId),
    cleanUp: cleanUp ? cleanUpConstant : undefined,
    skipSpecialTokens: skipSpecialTokens ? "True" : "False",
  });

const cleanUpConstant = `[  # what each becomes, in this order
${cleanUpReplacements.map(([from, to]) => `    (${literal(from)}, ${literal(to)}),\n`).join("")}]`;
