import { entries } from "@tritype/check";
import {
  backendDiagnostics,
  bundleDiagnostics,
  collateDiagnostics,
  compilerDiagnostics,
  detokenizerDiagnostics,
  functionDiagnostics,
  generateDiagnostics,
  nodeDiagnostics,
  onnxDiagnostics,
  pythonDiagnostics,
  refusalDiagnostics,
  tokenDiagnostics,
  tokenizerDiagnostics,
  warmupDiagnostics,
} from "@tritype/compiler";
import { deployDiagnostics } from "@tritype/deploy/diagnostics";
import type { ProblemCode } from "@tritype/operators";

/** Exhaustive: a new operator code does not type-check without a line here. */
const operatorCodes: Readonly<Record<ProblemCode, true>> = {
  "dtype/mismatch": true,
  "dtype/not-supported": true,
  "dtype/out-of-range": true,
  "dtype/wraps-around": true,
  "dtype/integer-quotient": true,
  "shape/no-broadcast": true,
  "shape/rank-mismatch": true,
  "shape/dim-mismatch": true,
  "shape/bad-reshape": true,
  "shape/bad-constant": true,
  "shape/bad-equation": true,
  "axis/unknown": true,
  "axis/out-of-range": true,
  "axis/ambiguous": true,
  "operator/bad-option": true,
};

/** Every code that the compiler can report, sorted. */
export const compilerCodes: readonly string[] = [
  backendDiagnostics,
  bundleDiagnostics,
  collateDiagnostics,
  compilerDiagnostics,
  detokenizerDiagnostics,
  functionDiagnostics,
  generateDiagnostics,
  nodeDiagnostics,
  onnxDiagnostics,
  pythonDiagnostics,
  refusalDiagnostics,
  tokenDiagnostics,
  tokenizerDiagnostics,
  warmupDiagnostics,
  operatorCodes,
]
  .flatMap((catalog) => Object.keys(catalog))
  .toSorted();

/** Every code about `deploy` in the configuration, sorted. */
export const deployCodes: readonly string[] = Object.keys(deployDiagnostics).toSorted();

/** Every code, sorted: the compiler's, the checker's, and those of deployments. */
export const diagnosticCodes: readonly string[] = [
  ...compilerCodes,
  ...deployCodes,
  ...entries.map(({ code }) => code),
].toSorted();
