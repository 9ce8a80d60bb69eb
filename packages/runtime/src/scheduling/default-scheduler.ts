import { PipelineError } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { requestPrefix } from "../requests/request-error.ts";
import type { Scheduler } from "./scheduler.ts";

interface Waiting {
  readonly request: ModelRequest;
  readonly resolve: (result: ModelResult) => void;
}

/** One request per execution, first come first served, as many at once as the model has instances. */
export const createDefaultScheduler = (name: string, model: LoadedModel): Scheduler => {
  const instances = model.instances ?? Number.POSITIVE_INFINITY;
  const queue: Waiting[] = [];
  let head = 0;
  let running = 0;
  let closed = false;
  let drained: (() => void) | undefined;

  const execute = async ({ request, resolve }: Waiting): Promise<void> => {
    running++;
    resolve(await executeOne(name, model, request));
    running--;
    startNext();
    if (running === 0 && head === queue.length) drained?.();
  };
  /** One request comes or one instance becomes free: at most one can start. */
  const startNext = (): void => {
    const waiting = running < instances ? queue[head] : undefined;
    if (waiting === undefined) return;
    head++;
    if (head === queue.length || head > 1024) {
      queue.splice(0, head);
      head = 0;
    }
    void execute(waiting);
  };

  return {
    infer: (request) => {
      if (closed) return Promise.resolve({ error: stopping(request.id) });
      return new Promise((resolve) => {
        queue.push({ request, resolve });
        startNext();
      });
    },
    close: async () => {
      closed = true;
      if (running > 0)
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
    },
  };
};

const executeOne = async (name: string, model: LoadedModel, request: ModelRequest): Promise<ModelResult> => {
  try {
    const [result] = await model.execute([request]);
    return result ?? { error: new PipelineError("model/failed", `model '${name}' gave no response`) };
  } catch (error) {
    return { error: PipelineError.is(error) ? error : modelFailed(name, error) };
  }
};

const modelFailed = (name: string, cause: unknown): PipelineError =>
  new PipelineError(
    "model/failed",
    `model '${name}' failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      cause,
    },
  );

const stopping = (id: string): PipelineError =>
  new PipelineError(
    "model/unavailable",
    `${requestPrefix(id)}Server is stopping, scheduler for model has stopped accepting new inference requests`,
  );
