import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@tritype/core";
import { answerCalls } from "./answer-calls.ts";
import { ort } from "../../threads/ort.ts";
import type { FromThread, StopThread } from "../../threads/model-thread.ts";
import type { GenerateStart, ThreadAnswer, ToThread } from "./generate-messages.ts";
import { openInThread, ortDecoder, type Sessions } from "./ort-decoder.ts";

invariant(parentPort !== null, "a generate loop runs in its own thread");
const port = parentPort;
const post = (message: FromThread<ThreadAnswer>): void => port.postMessage(message);
const given = workerData as GenerateStart;
const { options } = given;

const sessions = await openInThread(ort, port, given);
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
