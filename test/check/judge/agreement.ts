import type { Diagnostic } from "@tritype/core";
import { type CaseFiles, modelNames } from "./case-files.ts";
import { checkerRefusals } from "./checker-verdict.ts";
import { died, type Verdicts } from "./server-judge.ts";
import { reasonsByModel, speaksOf, spokenNames } from "./spoken-names.ts";

/** Differences between checker and server about one model. */
export interface Disagreement {
  readonly model: string;
  readonly server: string;
  readonly checker: string;
}

export interface Comparison {
  readonly disagreements: readonly Disagreement[];
  /** Codes of the checker's refusals. */
  readonly codes: readonly string[];
}

/**
 * Compares the checker's verdicts with the server's. For a model with several faults the server reports one; its reason
 * must match one of the checker's findings.
 */
export const compareVerdicts = (files: CaseFiles, verdicts: Verdicts, strict: boolean): Comparison => {
  const refusals = checkerRefusals(files, strict);
  const disagreements = modelNames(files).flatMap((model) => {
    const { ready, reason } = verdicts.get(model) ?? { ready: false, reason: "not judged" };
    const found = refusals.get(model) ?? [];
    if (ready !== (found.length === 0))
      return [{ model, server: ready ? "ready" : reason, checker: say(found) }];
    if (ready || reason === died) return [];
    return reasonsByModel(model, reason).flatMap(([about, words]) => {
      const names = spokenNames(words, files);
      const own = refusals.get(about) ?? [];
      if (own.some((one) => speaksOf(one, names))) return [];
      return [{ model: about, server: `${words} (speaks of ${names.join(", ")})`, checker: say(own) }];
    });
  });
  return { disagreements, codes: [...refusals.values()].flat().map(({ code }) => code) };
};

const say = (found: readonly Diagnostic[]): string =>
  found.length === 0
    ? "nothing to refuse"
    : found.map(({ code, message }) => `${code}: ${message}`).join("\n");

/** Human-readable: both verdicts, and the repository. */
export const explain = (files: CaseFiles, { disagreements }: Comparison): string =>
  [
    ...disagreements.map(
      ({ model, server, checker }) => `${model}\n  server:  ${server}\n  checker: ${checker}`,
    ),
    ...Object.entries(files).map(
      ([path, contents]) =>
        `--- ${path}\n${typeof contents === "string" ? contents : `${contents.length} bytes`}`,
    ),
  ].join("\n");
