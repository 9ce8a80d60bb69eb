import type { Diagnostic } from "@tritype/core";
import { type CaseFiles, modelNames } from "./case-files.ts";
import { backendRefusals, checkerRefusals } from "./checker-verdict.ts";
import { died, type Verdicts } from "./server-judge.ts";
import { speaksOf, spokenNames } from "./spoken-names.ts";

/** Where checker and server say different things of one model. */
export interface Disagreement {
  readonly model: string;
  readonly server: string;
  readonly checker: string;
}

export interface Comparison {
  readonly disagreements: readonly Disagreement[];
  /** Codes of what the checker refuses. */
  readonly codes: readonly string[];
}

/** Holds the checker's verdicts against the server's; with `names` also whether both speak of the same models and tensors. */
export const compareVerdicts = (
  files: CaseFiles,
  verdicts: Verdicts,
  { strict, names: compared }: { readonly strict: boolean; readonly names: boolean },
): Comparison => {
  const refusals = checkerRefusals(files, strict);
  const backendErrors = () => backendRefusals(files, strict);
  const disagreements = modelNames(files).flatMap((model) => {
    const { ready, reason } = verdicts.get(model) ?? { ready: false, reason: "not judged" };
    const found = refusals.get(model) ?? [];
    // The checker does not say what follows from a backend's refusal, which a stub does not have.
    if (!ready && found.length === 0 && (backendErrors().get(model)?.length ?? 0) > 0) return [];
    if (ready !== (found.length === 0))
      return [{ model, server: ready ? "ready" : reason, checker: say(found) }];
    const names = ready || !compared ? [] : spokenNames(reason, files);
    return found.length === 0 || reason === died || found.some((one) => speaksOf(one, names))
      ? []
      : [{ model, server: `${reason} (speaks of ${names.join(", ")})`, checker: say(found) }];
  });
  return { disagreements, codes: [...refusals.values()].flat().map(({ code }) => code) };
};

const say = (found: readonly Diagnostic[]): string =>
  found.length === 0
    ? "nothing to refuse"
    : found.map(({ code, message }) => `${code}: ${message}`).join("\n");

/** For a person: what both say, and the repository. */
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
