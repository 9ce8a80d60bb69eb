import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@tritype/core";
import { answerCalls } from "./answer-calls.ts";
import type { FromThread, StopThread } from "../../threads/model-thread.ts";
import type { GenerateStart, ThreadAnswer, ToThread } from "./generate-messages.ts";
import { openSessions, ortDecoder, type Sessions } from "./ort-decoder.ts";

// onnxruntime-node 1.30 rejects every float16 tensor if this class exists (microsoft/onnxruntime#32323).
Reflect.deleteProperty(globalThis, "Float16Array");
const ort = await import("onnxruntime-node");
ort.env.logLevel = "fatal";

invariant(parentPort !== null, "a generate loop runs in its own thread");
const port = parentPort;
const post = (message: FromThread<ThreadAnswer>): void => port.postMessage(message);
const given = workerData as GenerateStart;
const { options, folder, threads } = given;

const open = async (): Promise<Sessions | undefined> => {
  try {
    return await openSessions(ort, options.exported, folder, threads);
  } catch (error) {
    post({ kind: "refused", text: error instanceof Error ? error.message : String(error) });
    port.close();
    return undefined;
  }
};

const sessions = await open();
if (sessions !== undefined) {
  /** `execution/call` of abandoned calls. */
  const gone = new Set<string>();
  port.on("message", (message: ToThread | StopThread) => {
    if (message.kind === "cancel") gone.add(`${message.id}/${message.call}`);
    else if (message.kind === "execute") void execute(message, sessions, gone);
    else
      void Promise.all([...sessions.values()].map((session) => session.release())).then(() => port.close());
  });
  post({ kind: "ready" });
}

async function execute(
  { id, calls }: ToThread & { readonly kind: "execute" },
  opened: Sessions,
  gone: Set<string>,
): Promise<void> {
  const answers = await answerCalls(
    calls,
    given,
    () => ortDecoder(ort, options.exported, opened, options.pad),
    (call) => !gone.has(`${id}/${call}`),
  );
  for (const key of gone) if (key.startsWith(`${id}/`)) gone.delete(key);
  post({ kind: "answers", answers: [{ id, answers }] });
}
