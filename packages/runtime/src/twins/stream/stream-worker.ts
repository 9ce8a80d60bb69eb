import { setImmediate } from "node:timers/promises";
import { messageOf } from "@tritype/core";
import { openLoop, singleSearch } from "@tritype/generation";
import { ort } from "../../threads/ort.ts";
import type { FromThread } from "../../threads/model-thread.ts";
import { type OpenModel, serveModels } from "../../threads/serve-models.ts";
import { openSessions, releaseSessions, type Sessions } from "../generate/ort-decoder.ts";
import { joiningDecoder } from "./joining-decoder.ts";
import type { MadeToken, RowEnd, StreamStart, ToStream } from "./stream-messages.ts";

type Post = (message: FromThread<RowEnd, readonly MadeToken[]>) => void;

serveModels(async (given: StreamStart, post: Post) => serve(given, await openSessions(ort, given), post));

function serve(given: StreamStart, opened: Sessions, post: Post): OpenModel<ToStream> {
  const { exported, pad } = given.options;
  /** The tokens and ends of the current step: messages are sent once per step. */
  let made: MadeToken[] = [];
  let ends: RowEnd[] = [];
  const wanted = new Set<number>();
  const send = (): void => {
    if (made.length > 0) post({ kind: "report", report: made });
    if (ends.length > 0) post({ kind: "answers", answers: ends });
    made = [];
    ends = [];
  };
  const end = (id: number, failure?: string): void => {
    wanted.delete(id);
    ends.push({ id, failure });
  };
  const loop = openLoop({
    openDecoder: () => joiningDecoder(ort, exported, opened, pad),
    padded: exported.padded,
    pause: async () => {
      send();
      await setImmediate();
    },
  });
  const close = async (): Promise<void> => {
    await loop.close();
    send();
  };
  let closed: Promise<void> | undefined;
  const receive = (message: ToStream): void => {
    if (message.kind === "add") {
      const { id, start } = message;
      wanted.add(id);
      if (closed === undefined)
        loop.add({
          search: singleSearch(start),
          add: (token, isLast) => {
            made.push({ id, token, isLast });
            if (isLast) end(id);
          },
          fail: (error) => end(id, messageOf(error)),
          isWanted: () => wanted.has(id),
        });
      else
        void closed.then(() =>
          post({ kind: "answers", answers: [{ id, failure: "the model is being unloaded" }] }),
        );
    } else if (message.kind === "leave") {
      if (wanted.has(message.id)) end(message.id);
    } else closed ??= close();
  };
  return { receive, release: () => (closed ??= close()).then(() => releaseSessions(opened)) };
}
