import { openModelThread } from "../../threads/model-thread.ts";
import { monotonic } from "./monotonic.ts";
import { prepareShortRuns } from "./short-runs.ts";
import { owned } from "./travel.ts";
import type { ToWorker, TravellingTensor, WorkerAnswer, WorkerRun, WorkerStart } from "./worker-messages.ts";

/** The result of a run. */
export interface OnnxRun {
  readonly outputs: readonly TravellingTensor[];
  /** Duration of `session.run` in microseconds. */
  readonly took: number;
  /** Time spent in the thread waiting for previous runs, in microseconds. */
  readonly waited: number;
  /** Time from the call, or from the end of the previous run, to the start of this one, in microseconds. */
  readonly entered: number;
}

/** A model opened in its own thread; short runs may take place in the calling one. */
export interface OnnxInstance {
  /** Number of runs in progress or waiting in the thread. */
  readonly load: () => number;
  /** Rejects with ONNX Runtime's own message. The memory of `inputs` is transferred. */
  run(inputs: readonly TravellingTensor[], outputs: readonly string[]): Promise<OnnxRun>;
  /** Waits for runs in progress, then ends the thread. */
  close(): Promise<void>;
}

/** Starts a thread and opens the model there; rejects with ONNX Runtime's own text. */
export const openOnnxInstance = async (start: WorkerStart): Promise<OnnxInstance> => {
  const shortRuns = await prepareShortRuns(start);
  const thread = await openModelThread<ToWorker, WorkerAnswer>(
    "./onnx-worker.js",
    import.meta.url,
    start,
    "the model's thread has ended",
  );
  let outbox: WorkerRun[] = [];
  let lastEnd = 0;
  const send = (runs: readonly WorkerRun[]): void =>
    thread.post({ kind: "run", runs }, owned(runs.flatMap(({ inputs }) => inputs)));
  const sendOutbox = (): void => {
    const runs = outbox;
    outbox = [];
    send(runs);
  };
  return {
    load: thread.load,
    run: async (inputs, outputs) => {
      const isIdle = thread.load() === 0;
      const sent = monotonic();
      const here = isIdle ? shortRuns.run(inputs, outputs) : undefined;
      if (here !== undefined) {
        const { outputs: made, took, ended } = await here;
        return { outputs: made, took, waited: 0, entered: Math.max(0, ended - took - sent) };
      }
      const answer = await thread.ask((id) => {
        const run = { id, inputs, outputs };
        if (isIdle && !shortRuns.crowded()) {
          send([run]);
          return;
        }
        // The run would wait in the thread anyway, or others follow soon, so runs of the same turn are sent together.
        outbox.push(run);
        if (outbox.length === 1) setImmediate(sendOutbox);
      });
      if ("failure" in answer) throw new Error(answer.failure);
      shortRuns.learn(answer);
      const { outputs: made, took, ended } = answer;
      const waited = Math.max(0, lastEnd - sent);
      lastEnd = ended;
      return { outputs: made, took, waited, entered: Math.max(0, ended - took - sent - waited) };
    },
    close: async () => {
      await thread.close();
      await shortRuns.close();
    },
  };
};
