import { type Diagnostic, sortDiagnostics } from "@tritype/core";

/** Codes of what only follows from other findings, whose repair ends them. */
const consequences: ReadonlySet<string> = new Set(["ensemble/refused-model"]);

/** By place; what follows from other findings comes after all of these. */
export const sortFindings = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const sorted = sortDiagnostics(diagnostics);
  return [
    ...sorted.filter(({ code }) => !consequences.has(code)),
    ...sorted.filter(({ code }) => consequences.has(code)),
  ];
};
