import { counted } from "@tritype/core";
import type { Colors } from "picocolors/types.js";
import type { CheckFindings } from "./run-check.ts";

export const countSeverities = ({
  diagnostics,
}: CheckFindings): { readonly errors: number; readonly warnings: number } => {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: diagnostics.length - errors };
};

/** `checked 3 models for Triton 24.10: 1 error, 2 warnings (12 ms)` */
export const printSummary = (findings: CheckFindings, milliseconds: number, colors: Colors): string => {
  const { errors, warnings } = countSeverities(findings);
  const paint = errors > 0 ? colors.red : warnings > 0 ? colors.yellow : colors.green;
  const found =
    errors + warnings === 0
      ? "nothing found"
      : [count(errors, "error"), count(warnings, "warning")].filter(Boolean).join(", ");
  return `${paint("checked")} ${count(findings.models, "model") || "0 models"} for Triton ${findings.target}: ${found} (${Math.round(milliseconds)} ms)`;
};

/** "" for none. */
const count = (number: number, what: string): string => (number === 0 ? "" : counted(number, what));
