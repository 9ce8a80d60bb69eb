import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** The constructs that the translator refuses. */
export const refusalCodes = [
  "function/not-found",
  "function/syntax",
  "function/built-in",
  "function/any",
  "function/mixed-kinds",
  "function/clock",
  "function/randomness",
  "function/input-output",
  "function/async",
  "function/package",
  "function/inexact-math",
  "function/locale",
  "function/loose-equality",
  "function/effect-in-expression",
  "function/module-variable",
  "function/captured",
  "function/inherited-name",
  "function/escaping-closure",
  "function/array-hole",
  "function/iterator",
  "function/changed-while-iterated",
  "function/regexp",
  "function/mutated-input",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** The wording depends on the position. Node can run all of these constructs. */
interface RefusalEntry {
  readonly severity: "error";
  readonly message: "step `{step}`: {what}";
  readonly help: 'use {instead}; or run the function unchanged with `engine: "node"`';
}
const entry: RefusalEntry = {
  severity: "error",
  message: "step `{step}`: {what}",
  help: 'use {instead}; or run the function unchanged with `engine: "node"`',
};

export const refusalDiagnostics: Readonly<Record<RefusalCode, RefusalEntry>> = Object.fromEntries(
  refusalCodes.map((code) => [code, entry]),
) as Readonly<Record<RefusalCode, RefusalEntry>>;

export const diagnoseRefusal: Diagnose<Readonly<Record<RefusalCode, RefusalEntry>>> =
  defineDiagnostics(refusalDiagnostics);

export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusalDiagnostics, code);
