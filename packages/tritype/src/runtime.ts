/**
 * Runs ensembles in this process, for tests and scripts: the same repository, runtime and responses as with `pipeline
 * dev`, but without a port.
 * @module
 */
export { PipelineError } from "@tritype/core";
export {
  type AnyStep,
  DiagnosticsError,
  type LocalRuntime,
  type LocalRuntimeOptions,
  type RunOptions,
  startRuntime,
} from "@tritype/in-process";
