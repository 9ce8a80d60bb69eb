import { isDecoupled } from "@tritype/triton";
import type { ModelHost } from "../python/model-host.ts";
import type { InferRequest } from "../runtime.ts";
import type { CustomMetrics } from "../statistics/custom-metrics.ts";
import { admitRequest, admitStream, onlyResponse } from "./answer-request.ts";
import { findVersion, isReady, type ModelTable } from "./model-table.ts";
import type { RuntimeControl } from "./runtime-control.ts";

/** Calls from models go to whichever models are in the table at the time of the call. */
export const createModelHost = (
  table: () => ModelTable,
  metrics: CustomMetrics,
  control: () => RuntimeControl,
  onCall: (request: InferRequest) => void = () => {},
): ModelHost => ({
  admit: (request, asker) => {
    onCall(request);
    const run = admitRequest(table(), request, asker);
    return async () => onlyResponse(await run());
  },
  admitStream: (request, asker) => {
    onCall(request);
    return admitStream(table(), request, asker);
  },
  isReady: (model, version) => isReady(table(), model, version),
  decoupled: (model, version) => isDecoupled(findVersion(table(), model, version).config),
  load: (asker, model, override) => control().load(model, override, asker),
  unload: (asker, model, dependents) => control().unload(model, dependents, asker),
  metrics,
});
