export type { AnyStep } from "./any-step.ts";
export { DiagnosticsError } from "./diagnostics-error.ts";
export {
  type LocalRuntime,
  type LocalRuntimeOptions,
  type RunOptions,
  startRuntime,
} from "./local-runtime.ts";
export { runStep, streamStep } from "./run-step.ts";
export { inProcessErrors } from "./errors.ts";
