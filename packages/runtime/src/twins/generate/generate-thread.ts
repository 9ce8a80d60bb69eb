import { type CancelSignal, onAbort } from "../../scheduling/cancellation.ts";
import { openModelThread } from "../../threads/model-thread.ts";
import type {
  GenerateAnswer,
  GenerateCall,
  GenerateStart,
  ThreadAnswer,
  ToThread,
} from "./generate-messages.ts";

/** A generation loop in its own thread. */
export interface GenerateThread {
  /** Rejects if the thread has ended. */
  execute(
    calls: readonly GenerateCall[],
    signals: readonly (CancelSignal | undefined)[],
  ): Promise<readonly GenerateAnswer[]>;
  /** Waits for running loops, then ends the thread. */
  close(): Promise<void>;
}

/** Starts the thread and opens the model there; rejects with ONNX Runtime's own text. */
export const openGenerateThread = async (start: GenerateStart): Promise<GenerateThread> => {
  const thread = await openModelThread<ToThread, ThreadAnswer>(
    "./generate-worker.js",
    import.meta.url,
    start,
    "the loop's thread has ended",
  );
  return {
    async execute(calls, signals) {
      const stops: (() => void)[] = [];
      const watch = (id: number): void =>
        signals.forEach((signal, call) => {
          const cancel = (): void => thread.post({ kind: "cancel", id, call });
          if (signal?.aborted === true) cancel();
          stops.push(onAbort(signal, cancel));
        });
      try {
        const { answers } = await thread.ask((id) => {
          watch(id);
          thread.post({ kind: "execute", id, calls });
        });
        return answers;
      } finally {
        stops.forEach((stop) => stop());
      }
    },
    close: thread.close,
  };
};
