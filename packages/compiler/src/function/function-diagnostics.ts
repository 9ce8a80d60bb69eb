import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const functionDiagnostics = {
  "function/not-batched": {
    severity: "error",
    message:
      "`{tensor}` of {kind} `{step}` is {type}: `{kind}` runs once per row, so every tensor needs rows",
    help: 'put "batch" first, or use batchStep(), which runs once per request',
  },
  "function/no-bf16": {
    severity: "error",
    message: "`{tensor}` of step `{step}` is BF16, which functions do not support",
    help: "declare FP32 or FP16, and make the preceding model return it",
  },
  "function/type-error": {
    severity: "error",
    message: "TypeScript reports an error in a step's file: {what}",
    help: "fix the error: a function is only built if TypeScript accepts it",
  },
  "function/time-limit": {
    severity: "error",
    message: "`timeLimit` of step `{step}` must be a duration in whole microseconds above 0, got {got}",
    help: 'write "500ms" or "10s"',
  },
} as const;

export const diagnose: Diagnose<typeof functionDiagnostics> = defineDiagnostics(functionDiagnostics);
