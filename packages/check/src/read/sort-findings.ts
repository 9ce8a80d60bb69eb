import { type Diagnostic, sortDiagnostics } from "@tritype/core";

/** Codes that only follow from other findings; fixing those resolves them. */
const consequences: ReadonlySet<string> = new Set(["ensemble/refused-model"]);

/** By place; consequences of other findings come after all of those. */
export const sortFindings = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const sorted = sortDiagnostics(diagnostics);
  return [
    ...sorted.filter(({ code }) => !consequences.has(code)),
    ...sorted.filter(({ code }) => consequences.has(code)),
  ];
};
