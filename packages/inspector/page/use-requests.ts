import { useEffect, useState } from "preact/hooks";
import type { FieldValue, RequestBody, RunEvent } from "@tritype/inspector/shared";
import { runRequest } from "./api.ts";
import { keepRecording, type PastRequest, recorded, recordingOf, remember } from "./history.ts";
import { generation, look, overview } from "./state.ts";

type Fields = readonly (readonly [input: string, value: FieldValue])[];

/** The request on the screen, with its answer. */
export interface ShownRequest {
  /** Milliseconds since 1970. */
  readonly sent: number;
  /** The number of changes of the graph before it was sent. */
  readonly generation: number;
  readonly fields: Fields;
  /** undefined for a request from the history, whose files are not kept. */
  readonly body: RequestBody | undefined;
  readonly events: readonly RunEvent[];
}

/** The requests to one model, and the one that is shown. */
export interface Requests {
  readonly shown: ShownRequest | undefined;
  readonly running: AbortController | undefined;
  /** The send time of the request that the shown one is compared with; 0 if there is none. */
  readonly against: number;
  /** The reason why the other server did not answer. */
  readonly otherProblem: string | undefined;
  readonly compareWith: (sent: number) => void;
  readonly send: (body: RequestBody, fields: Fields, record: boolean) => Promise<void>;
  /** Sends the shown request to this server again, and compares the two answers. */
  readonly again: (body: RequestBody) => Promise<void>;
  /** Sends the shown request to the other server, and compares the two answers. */
  readonly sendToOther: (body: RequestBody) => Promise<void>;
  readonly restore: (request: PastRequest) => void;
}

export const useRequests = (model: string): Requests => {
  const [shown, setShown] = useState<ShownRequest | undefined>(undefined);
  const [running, setRunning] = useState<AbortController | undefined>(undefined);
  const [against, compareWith] = useState(0);
  const [otherProblem, setOtherProblem] = useState<string | undefined>(undefined);
  useEffect(() => () => running?.abort(), [running]);

  const begin = (): AbortController => {
    const stop = new AbortController();
    setRunning(stop);
    return stop;
  };
  /** The events of a request as they arrive; a failure is also an event. */
  const run = async (
    stop: AbortController,
    body: RequestBody,
    head: { readonly record: boolean; readonly other: boolean },
    show: (events: readonly RunEvent[]) => void,
  ): Promise<readonly RunEvent[]> => {
    const events: RunEvent[] = [];
    const began = performance.now();
    const add = (event: RunEvent): void => {
      events.push(event);
      show([...events]);
    };
    try {
      for await (const event of runRequest({ model, ...head }, body, stop.signal)) add(event);
    } catch (error) {
      const message = stop.signal.aborted ? "You stopped the request." : `No answer: ${String(error)}`;
      add({ kind: "error", at: performance.now() - began, message });
    }
    setRunning(undefined);
    return events;
  };

  const send: Requests["send"] = async (body, fields, record) => {
    const stop = begin();
    // So that the request belongs to the version that answers it.
    await look();
    const request = { sent: Date.now(), generation: generation.value, fields, body };
    setShown({ ...request, events: [] });
    setOtherProblem(undefined);
    const events = await run(stop, body, { record, other: false }, (now) =>
      setShown({ ...request, events: now }),
    );
    remember({ model, sent: request.sent, fields, events }, request.generation);
  };

  return {
    shown,
    running,
    against,
    otherProblem,
    compareWith,
    send: async (...request) => {
      compareWith(0);
      await send(...request);
    },
    again: async (body) => {
      compareWith(shown?.sent ?? 0);
      await send(body, shown?.fields ?? [], true);
    },
    sendToOther: async (body) => {
      const sent = Date.now();
      setOtherProblem(undefined);
      const events = await run(begin(), body, { record: true, other: true }, () => {});
      setOtherProblem(events.find((event) => event.kind === "error")?.message);
      const recording = recordingOf(events);
      if (recording === undefined) return;
      const server = overview.value?.other ?? "";
      keepRecording({ model, sent, summary: "", recording, generation: generation.value, server });
      compareWith(sent);
    },
    restore: ({ sent, fields, events }) => {
      const kept = recorded.value.find((one) => one.model === model && one.sent === sent);
      compareWith(0);
      setOtherProblem(undefined);
      setShown({
        sent,
        generation: kept?.generation ?? 0,
        fields,
        body: undefined,
        events: kept === undefined ? events : [...events, { kind: "recording", recording: kept.recording }],
      });
    },
  };
};
