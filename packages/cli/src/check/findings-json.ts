import type { CheckFindings } from "./run-check.ts";
import { countSeverities } from "./summary.ts";

/** The findings for programs: `{ target, models, errors, warnings, diagnostics }`. */
export const printFindingsJson = (findings: CheckFindings): string => {
  const { target, models, diagnostics } = findings;
  return JSON.stringify(
    {
      target,
      models,
      ...countSeverities(findings),
      diagnostics: diagnostics.map(({ code, severity, message, labels, notes, help }) => ({
        code,
        severity,
        message,
        labels: labels.map(({ span, text }) => ({ ...span, text })),
        notes,
        help: help ?? null,
      })),
    },
    null,
    2,
  );
};
