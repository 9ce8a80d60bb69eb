import { answerCalls } from "./answer-calls.ts";
import { ort } from "../../threads/ort.ts";
import type { FromThread } from "../../threads/model-thread.ts";
import { serveModels } from "../../threads/serve-models.ts";
import type { GenerateStart, ThreadAnswer, ToThread } from "./generate-messages.ts";
import { openSessions, ortDecoder, releaseSessions } from "./ort-decoder.ts";

serveModels(async (given: GenerateStart, post: (message: FromThread<ThreadAnswer>) => void) => {
  const { exported, pad } = given.options;
  const sessions = await openSessions(ort, given);
  /** `execution/call` of abandoned calls. */
  const gone = new Set<string>();
  const execute = async ({ id, calls }: ToThread & { readonly kind: "execute" }): Promise<void> => {
    const answers = await answerCalls(
      calls,
      given,
      () => ortDecoder(ort, exported, sessions, pad),
      (call) => !gone.has(`${id}/${call}`),
    );
    for (const key of gone) if (key.startsWith(`${id}/`)) gone.delete(key);
    post({ kind: "answers", answers: [{ id, answers }] });
  };
  return {
    receive: (message: ToThread) => {
      if (message.kind === "cancel") gone.add(`${message.id}/${message.call}`);
      else void execute(message);
    },
    release: () => releaseSessions(sessions),
  };
});
