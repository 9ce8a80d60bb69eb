import { type Diagnostic, sortDiagnostics } from "@tritype/core";

/** Codes of findings that are only consequences of others; fixing the others resolves them. */
const consequences: ReadonlySet<string> = new Set(["ensemble/refused-model"]);

/** Sorts findings by position; consequences of other findings come last. */
export const sortFindings = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const sorted = sortDiagnostics(diagnostics);
  return [
    ...sorted.filter(({ code }) => !consequences.has(code)),
    ...sorted.filter(({ code }) => consequences.has(code)),
  ];
};
