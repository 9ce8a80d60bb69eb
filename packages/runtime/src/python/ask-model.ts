import { messageOf } from "@tritype/core";
import type { Asker } from "../backend.ts";
import type { InferRequest, InferResponse } from "../runtime.ts";
import type { MessageQueue } from "../streaming/message-queue.ts";
import type { ModelHost } from "./model-host.ts";

/**
 * Runs a request from a model's code. If it fails before it runs, the result has Triton's message.
 * @throws Error if it fails while it runs.
 */
export const askModel = async (
  host: ModelHost,
  request: InferRequest,
  asker: Asker,
): Promise<InferResponse | { readonly error: string }> => {
  const { model, version } = request;
  const run = admitted(host, request, () => {
    if (host.decoupled(model, version)) throw new Error(decoupledCallee(model));
    return host.admit(request, asker);
  });
  return "error" in run ? run : run();
};

/** Like `askModel`, but for a model of any kind, with all of its messages. */
export const askStream = (
  host: ModelHost,
  request: InferRequest,
  asker: Asker,
): MessageQueue | { readonly error: string } => {
  const run = admitted(host, request, () => host.admitStream(request, asker));
  return "error" in run ? run : run();
};

const admitted = <Run extends () => unknown>(
  host: ModelHost,
  { model, version }: InferRequest,
  admit: () => Run,
): Run | { readonly error: string } => {
  const refused = (text: string) => ({ error: `Model ${model} - Error when running inference: ${text}` });
  if (!host.isReady(model, version))
    return refused(`Failed for execute the inference request. Model '${model}' is not ready.`);
  try {
    return admit();
  } catch (error) {
    return refused(messageOf(error));
  }
};

/** Triton's exact text, including the stray quotation mark at the end. */
const decoupledCallee = (model: string): string =>
  `Model ${model} is using the decoupled. The current BLS request call doesn't support models using the decoupled transaction policy. Please use 'decoupled=True' argument to the 'exec' or 'async_exec' calls for decoupled models.'`;
