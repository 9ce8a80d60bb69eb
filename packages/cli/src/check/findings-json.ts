import { endColumnOf, type ReadSource } from "@tritype/project/diagnostics";
import type { CheckFindings } from "./run-check.ts";
import { countSeverities } from "./summary.ts";

/**
 * The findings for programs: `{ target, models, errors, warnings, diagnostics }`. Columns are UTF-16 units from 1;
 * `endColumn` is the column after the marked text, null if there is none.
 */
export const printFindingsJson = (findings: CheckFindings, readSource: ReadSource): string => {
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
        labels: labels.map(({ span, text }) => ({
          ...span,
          endColumn: endColumnOf(span, readSource(span.file)) ?? null,
          text,
        })),
        notes,
        help: help ?? null,
      })),
    },
    null,
    2,
  );
};
