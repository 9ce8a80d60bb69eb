import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** What the translator refuses; the words come from the place. */
const refused = {
  severity: "error",
  message: "step `{step}`: {what}",
  help: "{instead}",
} as const;

export const functionDiagnostics = {
  "function/not-batched": {
    severity: "error",
    message: "`{tensor}` of step `{step}` is {type}: `step` runs once per row, so every tensor has rows",
    help: 'put "batch" first, or use batchStep(), which runs once per request',
  },
  "function/no-bf16": {
    severity: "error",
    message: "`{tensor}` of step `{step}` is BF16, which Triton does not hand to Python",
    help: "declare FP32, and cast with .cast(fp32) or .cast(bf16) around the step",
  },
  "function/no-source": {
    severity: "error",
    message: "the source of step `{step}` cannot be found: it is not defined in a file of the project",
    help: "call step() in a TypeScript file below the project's root; where code is bundled first, with source maps",
  },
  "function/time-limit": {
    severity: "error",
    message: "`timeLimit` of step `{step}` must be a duration in whole microseconds above 0, got {got}",
    help: 'write "500ms" or "10s"',
  },
  "function/not-found": refused,
  "function/syntax": refused,
  "function/built-in": refused,
  "function/any": refused,
  "function/mixed-kinds": refused,
  "function/clock": refused,
  "function/randomness": refused,
  "function/input-output": refused,
  "function/async": refused,
  "function/package": refused,
  "function/inexact-math": refused,
  "function/locale": refused,
  "function/loose-equality": refused,
  "function/effect-in-expression": refused,
  "function/module-variable": refused,
  "function/captured": refused,
  "function/mutated-input": refused,
  "function/inherited-name": refused,
  "function/escaping-closure": refused,
  "function/array-hole": refused,
  "function/iterator": refused,
  "function/error-text": refused,
  "function/regexp": refused,
  "function/changed-while-iterated": refused,
} as const;

export const diagnose: Diagnose<typeof functionDiagnostics> = defineDiagnostics(functionDiagnostics);

type RefusalCode = {
  [K in keyof typeof functionDiagnostics]: (typeof functionDiagnostics)[K] extends typeof refused ? K : never;
}[keyof typeof functionDiagnostics];

/** Whether a code is one of the translator's. */
export const isRefusal = (code: string): code is RefusalCode =>
  Object.entries(functionDiagnostics).some(([known, entry]) => known === code && entry === refused);
