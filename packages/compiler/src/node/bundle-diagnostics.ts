import {
  type Diagnose,
  defineDiagnostics,
  type Diagnostic,
  invariant,
  type StepDefinition,
} from "@tritype/core";
import type { NodeProblem } from "./bundle.ts";

/** Diagnostics for the problems that the bundler finds and describes. */
const codes = [
  "node/source",
  "node/package",
  "node/addon",
  "node/versions",
  "node/dynamic-import",
  "node/file-beside",
  "node/not-loaded",
] as const;
type Code = (typeof codes)[number];

interface Entry {
  readonly severity: "error";
  readonly message: "step `{step}`: {message}";
}
const entry: Entry = { severity: "error", message: "step `{step}`: {message}" };

export const bundleDiagnostics: Readonly<Record<Code, Entry>> = Object.fromEntries(
  codes.map((code) => [code, entry]),
) as Readonly<Record<Code, Entry>>;

const diagnose: Diagnose<Readonly<Record<Code, Entry>>> = defineDiagnostics(bundleDiagnostics);

export const diagnoseProblem = (
  { name }: StepDefinition,
  { code, at, message, help }: NodeProblem,
): Diagnostic => {
  invariant(isCode(code), `no diagnostic ${code}`);
  return diagnose(code, {
    with: { step: name, message },
    labels: [{ span: at, text: "" }],
    help,
  });
};

const isCode = (code: string): code is Code => Object.hasOwn(bundleDiagnostics, code);
