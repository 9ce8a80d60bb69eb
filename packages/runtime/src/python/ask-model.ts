import type { Asker } from "../backend.ts";
import type { InferRequest, InferResponse } from "../runtime.ts";
import type { ModelHost } from "./model-host.ts";

/**
 * Runs a request from a model's code; failures before it runs have Triton's message.
 * @throws Error with the failure if it goes wrong while it runs.
 */
export const askModel = async (
  host: ModelHost,
  request: InferRequest,
  asker: Asker,
): Promise<InferResponse | { readonly error: string }> => {
  const { model, version } = request;
  const refused = (text: string) => ({ error: `Model ${model} - Error when running inference: ${text}` });
  if (!host.isReady(model, version))
    return refused(`Failed for execute the inference request. Model '${model}' is not ready.`);
  if (host.decoupled(model, version)) return refused(decoupledCallee(model));
  let run: ReturnType<ModelHost["admit"]>;
  try {
    run = host.admit(request, asker);
  } catch (error) {
    return refused(messageOf(error));
  }
  return run();
};

/** Triton's text, down to its last character. */
const decoupledCallee = (model: string): string =>
  `Model ${model} is using the decoupled. The current BLS request call doesn't support models using the decoupled transaction policy. Please use 'decoupled=True' argument to the 'exec' or 'async_exec' calls for decoupled models.'`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
