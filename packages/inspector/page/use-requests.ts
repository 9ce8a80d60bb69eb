import {
  copyOfSequence,
  type MeasuredTimes,
  measuredTimes,
  type Recording,
  type FieldValue,
  type RequestBody,
  type RunEvent,
  type SequencePlace,
} from "@tritype/inspector/view";
import { runRequest } from "./api.ts";
import {
  earlierInSequence,
  errorOf,
  keepInSequence,
  keepRecording,
  type PastRequest,
  recorded,
  recordingOf,
  remember,
  type ShownSequence,
} from "./history.ts";
import { generation, keptSignal, look, overview } from "./state.ts";

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
  /** The times of the shown request when it is sent several times; undefined until the user asks for them. */
  readonly measured: MeasuredTimes | undefined;
  readonly compareWith: (sent: number) => void;
  /** Returns whether the model answered. */
  readonly send: (
    body: RequestBody,
    fields: Fields,
    record: boolean,
    place: SequencePlace | undefined,
  ) => Promise<boolean>;
  /** Sends the shown request to this server again, and compares the two answers. */
  readonly again: (body: RequestBody) => Promise<void>;
  /** Sends the shown request several times, to fill `measured`. */
  readonly measure: (body: RequestBody) => Promise<void>;
  /** Sends the shown request to the other server, and compares the two answers. */
  readonly sendToOther: (body: RequestBody) => Promise<void>;
  readonly restore: (request: PastRequest) => void;
}

/** A request continues while the page shows something else. */
export const useRequests = (model: string): Requests => {
  const shown = keptSignal<ShownRequest | undefined>(`shown ${model}`, undefined);
  const running = keptSignal<AbortController | undefined>(`running ${model}`, undefined);
  const against = keptSignal(`against ${model}`, 0);
  const problem = keptSignal<string | undefined>(`problem ${model}`, undefined);
  const measured = keptSignal<MeasuredTimes | undefined>(`measured ${model}`, undefined);
  const compareWith = (sent: number): void => {
    against.value = sent;
  };

  /** Runs requests, which the user can stop. */
  const follow = async <T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> => {
    const stop = new AbortController();
    running.value = stop;
    problem.value = undefined;
    const result = await work(stop.signal);
    running.value = undefined;
    return result;
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
      const at = performance.now() - began;
      const message =
        error instanceof TypeError
          ? "No answer: the server cannot be reached, or it closed the connection."
          : `No answer: ${String(error)}`;
      add(stop.aborted ? { kind: "stopped", at } : { kind: "error", at, message });
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
    const show = (events: readonly RunEvent[]): void => {
      shown.value = { ...request, events };
    };
    show([]);
    const events = await run(stop, body, { record, other: false }, show);
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
    const sequence = shown.value?.sequence;
    if (sequence === undefined) return body;
    const { place, earlier = [] } = sequence;
    const copies = copyOfSequence([...earlier, { body, place }]);
    for (const [index, copy] of copies.slice(0, -1).entries()) {
      const failed = problemIn(await run(stop, copy, { record: false, other }));
      if (failed === undefined) continue;
      problem.value = `request ${index + 1} of the sequence: ${failed}`;
      return undefined;
    }
    return copies.at(-1);
  };

  return {
    shown: shown.value,
    running: running.value,
    against: against.value,
    problem: problem.value,
    measured: measured.value,
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
          measured.value = measuredTimes(recordings);
        }
      }),
    send: (body, fields, record, place) => {
      compareWith(0);
      measured.value = undefined;
      const sequence = place && { place, earlier: earlierInSequence(model, place) };
      return follow(async (stop) => {
        const answered = await sendShown(stop, body, { fields, sequence }, record);
        if (answered && place !== undefined) keepInSequence(model, { body, place });
        return answered;
      });
    },
    again: (body) =>
      follow(async (stop) => {
        const copy = await prepare(stop, body, false);
        const before = shown.value;
        if (copy === undefined || before === undefined) return;
        compareWith(before.sent);
        await sendShown(stop, copy, before, true);
      }),
    sendToOther: (body) =>
      follow(async (stop) => {
        const sent = Date.now();
        compareWith(0);
        const copy = await prepare(stop, body, true);
        if (copy === undefined) return;
        const events = await run(stop, copy, { record: true, other: true });
        problem.value = problemIn(events);
        const recording = recordingOf(events);
        if (recording === undefined) return;
        const [error, server] = [errorOf(events), overview.value?.other ?? ""];
        const made = { summary: "", generation: generation.value };
        keepRecording({ model, sent, recording, error, server, ...made });
        compareWith(sent);
      }),
    restore: ({ sent, fields, events, recorded: wasRecorded }) => {
      const known = recorded.value.find((one) => one.model === model && one.sent === sent);
      compareWith(0);
      measured.value = undefined;
      problem.value = undefined;
      shown.value = {
        sent,
        generation: known?.generation ?? 0,
        fields,
        body: undefined,
        events: known === undefined ? events : [...events, { kind: "recording", recording: known.recording }],
        sequence: known?.sequence,
        lost: wasRecorded === true && known === undefined,
      };
    },
  };
};

/** The number of requests in a measurement, and the milliseconds after which no further request begins. */
const mostMeasured = 20;
const longestMeasured = 10_000;

const timesOnly = ({ calls, left }: Recording): Recording => ({
  left,
  calls: calls.map((call) => ({ ...call, inputs: [], responses: [] })),
});

const problemIn = (events: readonly RunEvent[]): string | undefined => {
  if (events.some(({ kind }) => kind === "stopped")) return "Stopped by you.";
  const error = events.find((event) => event.kind === "error");
  return error && [error.message, ...(error.help === undefined ? [] : [error.help])].join("\n");
};
