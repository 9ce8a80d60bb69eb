import { type Signal, signal } from "@preact/signals";
import type {
  Content,
  FieldValue,
  Recording,
  RunEvent,
  SequencePlace,
  SequenceStep,
} from "@tritype/inspector/view";

/** An earlier request, as the browser stores it. */
export interface PastRequest {
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly fields: readonly (readonly [input: string, value: FieldValue])[];
  readonly events: readonly RunEvent[];
  /** Only for a model that needs sequences. */
  readonly sequence?: SequencePlace;
  /** Whether there was a recording. */
  readonly recorded?: boolean;
  /** The inputs in one line, for a request with files, which are not kept. */
  readonly summary?: string;
  /** Whether its values were too long to keep. */
  readonly left?: boolean;
}

const key = "tritype inspector: requests";
const most = 30;
const longest = 60_000;
const keptElements = 64;

const read = (): readonly PastRequest[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPast) : [];
  } catch {
    return [];
  }
};

/** Another version of the page, for any project at the same address, may have stored something else. */
const isPast = (one: unknown): one is PastRequest => {
  const { model, sent, fields, events } = (one ?? {}) as Readonly<Record<string, unknown>>;
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.every((item) => item instanceof Object);
  return typeof model === "string" && typeof sent === "number" && isList(fields) && isList(events);
};

export const past: Signal<readonly PastRequest[]> = signal(read());

/** A request and what happened inside it. Recordings are too large to store: they last until the page is closed. */
export interface RecordedRequest {
  readonly model: string;
  readonly sent: number;
  readonly summary: string;
  readonly recording: Recording;
  /** The messages of its errors; undefined if it did not fail. */
  readonly error: string | undefined;
  /** The number of changes of the graph before it was sent. */
  readonly generation: number;
  /** The address of the other server, if it answered the request. */
  readonly server?: string;
  readonly sequence?: ShownSequence | undefined;
}

/** The sequence of a request. */
export interface ShownSequence {
  readonly place: SequencePlace;
  /** The requests before it; undefined if they are unknown. */
  readonly earlier: readonly SequenceStep[] | undefined;
}
const mostRecorded = 10;
export const recorded: Signal<readonly RecordedRequest[]> = signal([]);

/** The inputs of a request in one line. */
export const summaryOf = ({ fields, summary, left }: PastRequest): string =>
  left === true ? "too long to keep" : (summary ?? summaryOfFields(fields));

const summaryOfFields = (fields: PastRequest["fields"]): string =>
  fields
    .map(([, value]) =>
      value.kind === "rows" ? value.rows.join(" / ") : value.kind === "json" ? value.text : value.name,
    )
    .join(" · ")
    .slice(0, 120);

export const recordingOf = (events: readonly RunEvent[]): Recording | undefined =>
  events.find((event) => event.kind === "recording")?.recording;

/** The messages of its errors; undefined if it did not fail. */
export const errorOf = (events: readonly RunEvent[]): string | undefined => {
  const messages = events.flatMap((event) => (event.kind === "error" ? [event.message] : []));
  return messages.length === 0 ? undefined : messages.join("\n");
};

export const keepRecording = (request: RecordedRequest): void => {
  recorded.value = [request, ...recorded.value].slice(0, mostRecorded);
};

/** Stores a request without files, and its answer without long tensors; its recording stays in memory. */
export const remember = (
  request: PastRequest,
  generation: number,
  sequence: ShownSequence | undefined,
): void => {
  const { model, sent } = request;
  const recording = recordingOf(request.events);
  const [summary, error] = [summaryOf(request), errorOf(request.events)];
  if (recording !== undefined)
    keepRecording({ model, sent, summary, recording, error, generation, sequence });
  const fields = request.fields.filter(([, { kind }]) => kind !== "file" && kind !== "picture");
  const events = request.events.flatMap((event): readonly RunEvent[] =>
    event.kind === "recording" || event.kind === "request"
      ? []
      : [event.kind === "response" ? { ...event, outputs: event.outputs.map(shorter) } : event],
  );
  const named = fields.length < request.fields.length ? { summary } : {};
  const kept = { ...request, ...named, fields, events, recorded: recording !== undefined };
  const whole = JSON.stringify(kept).length <= longest;
  past.value = [whole ? kept : { ...kept, fields: [], events: [], left: true }, ...past.value].slice(0, most);
  store();
};

export const forget = (): void => {
  past.value = [];
  recorded.value = [];
  store();
};

const store = (): void => {
  try {
    localStorage.setItem(key, JSON.stringify(past.value));
  } catch {
    // If storage is full, the list lasts until the page is closed.
  }
};

const shorter = (content: Content): Content => {
  const { media, picture: _, ...rest } = content;
  return {
    ...rest,
    elements: content.elements.slice(0, keptElements),
    ...(media === undefined ? {} : { missing: "pictures and sounds are not kept" }),
  };
};

/** The requests of every sequence that this page has sent, since its start. */
const sequences = new Map<string, readonly SequenceStep[]>();

/** The requests before this one in its sequence; undefined if they are unknown, for example after a reload. */
export const earlierInSequence = (
  model: string,
  { id, start }: SequencePlace,
): readonly SequenceStep[] | undefined => (start ? [] : sequences.get(`${model} ${id}`));

export const keepInSequence = (model: string, step: SequenceStep): void => {
  const earlier = earlierInSequence(model, step.place);
  if (earlier !== undefined) sequences.set(`${model} ${step.place.id}`, [...earlier, step]);
};
