import { PipelineError } from "@tritype/core";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { InferRequest, InferResponse, Parameters } from "../runtime.ts";
import { findVersion, type ModelTable } from "./model-table.ts";

/**
 * One request to a model of the table. It is in the model's queue before this returns: what the table's owner does afterwards does
 * not touch it.
 * @throws PipelineError as `Runtime.infer`.
 */
export const answerRequest = async (table: ModelTable, request: InferRequest): Promise<InferResponse> => {
  const ready = findVersion(table, request.model, request.version);
  if (ready.config.model_transaction_policy?.decoupled === true)
    throw new PipelineError(
      "request/unsupported",
      "HTTP end point doesn't support models with decoupled transaction policy",
    );
  const checked = ready.check(request);
  const result = await ready.scheduler.infer(checked);
  if ("error" in result) throw result.error;
  const response = {
    model: ready.model,
    version: ready.version,
    id: request.id,
    outputs: ready.respond(result.outputs, checked.outputs),
  };
  return isEnsemble(ready.config) ? { ...response, parameters: sequenceOf(checked.parameters) } : response;
};

/** Triton puts these on every answer of an ensemble; what the request said of its sequence comes back. */
const sequenceOf = ({
  sequence_id = 0,
  sequence_start = false,
  sequence_end = false,
}: Parameters): Parameters => ({
  sequence_id,
  sequence_start,
  sequence_end,
});
