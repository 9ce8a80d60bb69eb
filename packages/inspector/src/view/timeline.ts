import { groupBy } from "@tritype/core";
import type { Call, Content, Recording } from "../api.ts";

/** One call in the timeline of a request; times are fractions of the whole, from 0 to 1. */
export interface TimelineRow {
  readonly call: Call;
  /** Its model, with the number of the call if its caller calls the model several times: "recognize 3 of 8". */
  readonly name: string;
  /** The names of its callers, followed by its own name. */
  readonly path: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  readonly parts: readonly TimelinePart[];
  readonly arrivals: readonly Arrival[];
  readonly errors: readonly ErrorArrival[];
  /** Milliseconds of each kind. */
  readonly spent: Readonly<Record<TimelinePart["kind"], number>>;
  /** Milliseconds in which none of its own calls ran. */
  readonly own: number;
}

/** When a response of a call came. */
export interface Arrival {
  readonly at: number;
  /** Milliseconds since the call began. */
  readonly after: number;
}

/** When an error of a call came. */
export interface ErrorArrival extends Arrival {
  /** The number of responses before it. */
  readonly responses: number;
}

/** `after response 2`, `before the first response` */
export const placeText = (responses: number): string =>
  responses === 0 ? "before the first response" : `after response ${responses}`;

/** Whether a call gave several responses, or errors between them. */
export const isStream = ({ call, errors }: Pick<TimelineRow, "call" | "errors">): boolean =>
  call.responses.length + call.left + errors.length > 1;

/** `failed after response 2`; undefined if the call did not fail. */
export const failureText = (row: TimelineRow): string | undefined => {
  const [first, ...others] = row.errors;
  if (!row.call.failed) return undefined;
  if (first === undefined || !isStream(row)) return "failed";
  return others.length === 0
    ? `failed ${placeText(first.responses)}`
    : `${row.errors.length} errors, the first ${placeText(first.responses)}`;
};

/** The parts of a call's time, in order. */
export const partKinds = ["queue", "input", "compute", "output"] as const;

export interface TimelinePart {
  readonly kind: (typeof partKinds)[number];
  readonly from: number;
  readonly to: number;
}

/** The number of elements that are NaN or infinite. */
export const notFinite = ({ figures }: Content): number => (figures?.nan ?? 0) + (figures?.infinite ?? 0);

/** The calls below their callers, in the order of their start. */
export const timelineOf = (recording: Recording): readonly TimelineRow[] => {
  const whole = Math.max(1, ...recording.calls.map(({ end }) => end));
  const children = childrenOf(recording);
  const rows: TimelineRow[] = [];
  const visit = (parent: number, depth: number, above: string): void => {
    const siblings = children.get(parent) ?? [];
    const names = numberedNames(siblings, recording.left === 0);
    for (const [index, call] of siblings.entries()) {
      const [name = "", own] = [names[index], ownTime(call, children.get(call.id) ?? [])];
      const path = `${above}/${name}`;
      rows.push({ ...rowOf(call, depth, whole), name, path, own });
      visit(call.id, depth + 1, path);
    }
  };
  visit(0, 0, "");
  return rows;
};

/**
 * The names of calls with one caller, such as "recognize 3 of 8".
 * @param complete Whether all calls were recorded, so that their number is known.
 */
export const numberedNames = (
  calls: readonly Pick<Call, "model">[],
  complete: boolean,
): readonly string[] => {
  const counts = new Map<string, number>();
  const add = (model: string, to: Map<string, number>): number => {
    const count = (to.get(model) ?? 0) + 1;
    to.set(model, count);
    return count;
  };
  for (const { model } of calls) add(model, counts);
  const seen = new Map<string, number>();
  return calls.map(({ model }) => {
    const [number, count = 0] = [add(model, seen), counts.get(model)];
    return count < 2 ? model : `${model} ${number} of ${count}${complete ? "" : " recorded"}`;
  });
};

/** The calls that each call made, in the order of their start. */
export const childrenOf = <T>({ calls }: Recording<T>): ReadonlyMap<number, readonly Call<T>[]> =>
  groupBy(calls.toSorted((a, b) => a.start - b.start).map((call) => [call.parent, call] as const));

/**
 * The row that takes longest, without the calls that it waits for; undefined if the request has only one call. An ensemble runs no code, so
 * it only counts if its steps are not recorded.
 */
export const slowestOf = (
  rows: readonly TimelineRow[],
  isEnsemble: (model: string) => boolean,
): TimelineRow | undefined => {
  if (rows.length < 2) return undefined;
  const callers = new Set(rows.map(({ call }) => call.parent));
  const counted = rows.filter(({ call: { id, model } }) => !(callers.has(id) && isEnsemble(model)));
  return counted.reduce((a, b) => (b.own > a.own ? b : a));
};

/** @param children In the order of their start. */
const ownTime = (call: Call, children: readonly Call[]): number => {
  let inside = 0;
  let until = call.start;
  for (const { start, end } of children) {
    inside += Math.max(0, Math.min(end, call.end) - Math.max(start, until));
    until = Math.max(until, end);
  }
  return (call.end - call.start - inside) / 1000;
};

const rowOf = (call: Call, depth: number, whole: number): Omit<TimelineRow, "name" | "path" | "own"> => {
  let at = call.start;
  const parts = call.executions.flatMap(({ start, inputEnd, outputStart, end }): readonly TimelinePart[] => {
    const queued = at;
    at = end;
    const bounds = [queued, start, inputEnd, outputStart, end].map((time) => Math.min(time, call.end));
    return partKinds.map((kind, index) => ({ kind, from: bounds[index] ?? 0, to: bounds[index + 1] ?? 0 }));
  });
  const spent = { queue: 0, input: 0, compute: 0, output: 0 };
  const arrivalAt = (time: number): Arrival => ({ at: time / whole, after: (time - call.start) / 1000 });
  for (const { kind, from, to } of parts) spent[kind] += Math.max(0, to - from) / 1000;
  return {
    call,
    depth,
    from: call.start / whole,
    to: call.end / whole,
    parts: parts.map(({ kind, from, to }) => ({ kind, from: from / whole, to: Math.max(from, to) / whole })),
    arrivals: call.responseTimes.map(arrivalAt),
    errors: (call.errors ?? []).map(({ at: time, after }) => ({ ...arrivalAt(time), responses: after })),
    spent,
  };
};
