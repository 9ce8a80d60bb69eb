import type { InferRequest, Runtime } from "@tritype/runtime";

/** A runtime, and what the models' code in it has asked of other models since somebody looked. */
export interface ListenedRuntime {
  readonly runtime: Runtime;
  readonly modelCalls: InferRequest[];
}
