import { defineErrors, type MakeError } from "@tritype/core";

/** Errors from `run()` and `startRuntime()`. */
export const inProcessErrors = {
  "run/not-a-definition": {
    code: "usage/invalid",
    message: "only the results of defineEnsemble() and of step constructors can run",
    help: "pass the ensemble itself: startRuntime({ ensembles: [embed] })",
  },
  "run/not-an-object": {
    code: "request/invalid",
    message: "`{name}` takes an object of inputs",
    help: "pass { {input}: … }",
  },
  "run/streams": {
    code: "usage/invalid",
    message: "`{name}` streams: it may have any number of answers",
    help: 'read them as they arrive: for await (const answer of runtime.stream("{name}", inputs))',
  },
  "runtime/closed": {
    code: "model/unavailable",
    message: "the runtime is closed",
    help: "start another one, or close it after the last request",
  },
  "runtime/not-loaded": {
    code: "model/unavailable",
    message: "{reasons}",
  },
  "runtime/not-served": {
    code: "model/not-found",
    message: "this runtime does not serve `{name}`",
  },
  "runtime/wrong-options": {
    code: "usage/invalid",
    message: "{problem}",
  },
} as const;

export const inProcessError: MakeError<typeof inProcessErrors> = defineErrors(inProcessErrors);
