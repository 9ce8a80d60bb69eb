import { useEffect, useState } from "preact/hooks";
import {
  copyOfSequence,
  type MeasuredTimes,
  measuredTimes,
  type Recording,
  type FieldValue,
  type RequestBody,
  type RunEvent,
  type SequencePlace,
} from "@tritype/inspector/shared";
import { runRequest } from "./api.ts";
import {
  earlierInSequence,
  keepInSequence,
  keepRecording,
  type PastRequest,
  recorded,
  recordingOf,
  remember,
  type ShownSequence,
} from "./history.ts";
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
  /** Only for a model that needs sequences. */
  readonly sequence?: ShownSequence | undefined;
  /** Whether its recording is gone. */
  readonly lost?: boolean;
}

/** The requests to one model, and the one that is shown. */
export interface Requests {
  readonly shown: ShownRequest | undefined;
  readonly running: AbortController | undefined;
  /** The send time of the request that the shown one is compared with; 0 if there is none. */
  readonly against: number;
  /** The reason why the other server did not answer, or why a sequence could not be sent again. */
  readonly problem: string | undefined;
  /** The times of the shown request, sent several times; undefined until that has been asked for. */
  readonly measured: MeasuredTimes | undefined;
  readonly compareWith: (sent: number) => void;
  readonly send: (
    body: RequestBody,
    fields: Fields,
    record: boolean,
    place: SequencePlace | undefined,
  ) => Promise<void>;
  /** Sends the shown request to this server again, and compares the two answers. */
  readonly again: (body: RequestBody) => Promise<void>;
  /** Sends the shown request several times, for its `measured` times. */
  readonly measure: (body: RequestBody) => Promise<void>;
  /** Sends the shown request to the other server, and compares the two answers. */
  readonly sendToOther: (body: RequestBody) => Promise<void>;
  readonly restore: (request: PastRequest) => void;
}

export const useRequests = (model: string): Requests => {
  const [shown, setShown] = useState<ShownRequest | undefined>(undefined);
  const [running, setRunning] = useState<AbortController | undefined>(undefined);
  const [against, compareWith] = useState(0);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [measured, setMeasured] = useState<MeasuredTimes | undefined>(undefined);
  useEffect(() => () => running?.abort(), [running]);

  /** Runs requests, which the user can stop. */
  const follow = async (work: (stop: AbortSignal) => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    setRunning(stop);
    setProblem(undefined);
    await work(stop.signal);
    setRunning(undefined);
  };
  /** The events of a request as they arrive; a failure is also an event. */
  const run = async (
    stop: AbortSignal,
    body: RequestBody,
    head: { readonly record: boolean; readonly other: boolean },
    show: (events: readonly RunEvent[]) => void = () => {},
  ): Promise<readonly RunEvent[]> => {
    const events: RunEvent[] = [];
    const began = performance.now();
    const add = (event: RunEvent): void => {
      events.push(event);
      show([...events]);
    };
    try {
      for await (const event of runRequest({ model, ...head }, body, stop)) add(event);
    } catch (error) {
      const message = stop.aborted
        ? "You stopped the request."
        : error instanceof TypeError
          ? "No answer: the server cannot be reached, or it closed the connection."
          : `No answer: ${String(error)}`;
      add({ kind: "error", at: performance.now() - began, message });
    }
    return events;
  };

  const sendShown = async (
    stop: AbortSignal,
    body: RequestBody,
    { fields, sequence }: Pick<ShownRequest, "fields" | "sequence">,
    record: boolean,
  ): Promise<boolean> => {
    // So that the request belongs to the version that answers it.
    await look();
    const request = { sent: Date.now(), generation: generation.value, fields, body, sequence };
    setShown({ ...request, events: [] });
    const events = await run(stop, body, { record, other: false }, (now) =>
      setShown({ ...request, events: now }),
    );
    const place = sequence === undefined ? {} : { sequence: sequence.place };
    remember({ model, sent: request.sent, fields, events, ...place }, request.generation, sequence);
    return problemIn(events) === undefined;
  };

  /** The shown request as it is sent again: a sequence starts again under another id. undefined if its earlier requests fail. */
  const prepare = async (
    stop: AbortSignal,
    body: RequestBody,
    other: boolean,
  ): Promise<RequestBody | undefined> => {
    const sequence = shown?.sequence;
    if (sequence === undefined) return body;
    const { place, earlier = [] } = sequence;
    const copies = copyOfSequence([...earlier, { body, place }]);
    for (const [index, copy] of copies.slice(0, -1).entries()) {
      const failed = problemIn(await run(stop, copy, { record: false, other }));
      if (failed === undefined) continue;
      setProblem(`request ${index + 1} of the sequence: ${failed}`);
      return undefined;
    }
    return copies.at(-1);
  };

  return {
    shown,
    running,
    against,
    problem,
    measured,
    compareWith,
    measure: (body) =>
      follow(async (stop) => {
        const recordings: Recording[] = [];
        const began = performance.now();
        while (recordings.length < mostMeasured && performance.now() - began < longestMeasured) {
          const events = await run(stop, body, { record: true, other: false });
          const recording = recordingOf(events);
          if (stop.aborted || recording === undefined) break;
          recordings.push(timesOnly(recording));
          setMeasured(measuredTimes(recordings));
        }
      }),
    send: (body, fields, record, place) => {
      compareWith(0);
      setMeasured(undefined);
      const sequence = place && { place, earlier: earlierInSequence(model, place) };
      return follow(async (stop) => {
        const answered = await sendShown(stop, body, { fields, sequence }, record);
        if (answered && place !== undefined) keepInSequence(model, { body, place });
      });
    },
    again: (body) =>
      follow(async (stop) => {
        const copy = await prepare(stop, body, false);
        if (copy === undefined || shown === undefined) return;
        compareWith(shown.sent);
        await sendShown(stop, copy, shown, true);
      }),
    sendToOther: (body) =>
      follow(async (stop) => {
        const sent = Date.now();
        const copy = await prepare(stop, body, true);
        if (copy === undefined) return;
        const events = await run(stop, copy, { record: true, other: true });
        setProblem(problemIn(events));
        const recording = recordingOf(events);
        if (recording === undefined) return;
        const server = overview.value?.other ?? "";
        keepRecording({ model, sent, summary: "", recording, generation: generation.value, server });
        compareWith(sent);
      }),
    restore: ({ sent, fields, events, recorded: wasRecorded }) => {
      const kept = recorded.value.find((one) => one.model === model && one.sent === sent);
      compareWith(0);
      setMeasured(undefined);
      setProblem(undefined);
      setShown({
        sent,
        generation: kept?.generation ?? 0,
        fields,
        body: undefined,
        events: kept === undefined ? events : [...events, { kind: "recording", recording: kept.recording }],
        sequence: kept?.sequence,
        lost: wasRecorded === true && kept === undefined,
      });
    },
  };
};

/** Requests of a measurement, and the milliseconds after which no further one begins. */
const mostMeasured = 20;
const longestMeasured = 10_000;

const timesOnly = ({ calls, left }: Recording): Recording => ({
  left,
  calls: calls.map((call) => ({ ...call, inputs: [], responses: [] })),
});

const problemIn = (events: readonly RunEvent[]): string | undefined => {
  const error = events.find((event) => event.kind === "error");
  return error && [error.message, ...(error.help === undefined ? [] : [error.help])].join("\n");
};
