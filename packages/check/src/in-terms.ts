import type { Diagnostic } from "@tritype/core";
import type { CheckOptions } from "./check-options.ts";

/** The finding in the author's terms. A parameter `field` is one of Triton's fields; the others may be the author's names. */
export const inTermsOf = (
  { inTerms }: CheckOptions,
  finding: Diagnostic,
  parameters: Readonly<Record<string, unknown>> = {},
): Diagnostic => {
  if (inTerms === undefined) return finding;
  const names = new Set(
    Object.entries(parameters).flatMap(([name, value]) => (name === "field" ? [] : [value])),
  );
  const say = (sentence: string): string => inTerms(sentence, names, finding.labels);
  return {
    ...finding,
    message: say(finding.message),
    labels: finding.labels.map(({ span, text }) => ({ span, text: say(text) })),
    notes: finding.notes.map(say),
    help: finding.help && say(finding.help),
  };
};
