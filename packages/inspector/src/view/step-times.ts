import { counted, groupBy } from "@tritype/core";
import type { Call, Recording } from "../api.ts";
import { durationText } from "./texts.ts";
import { slowestOf, timelineOf, type TimelineRow } from "./timeline.ts";

/** Usual times of the calls at one place in a request, over several equal requests. */
export interface StepTime {
  /** Milliseconds: the medians of the whole call, and of the time in which none of its own calls ran. */
  readonly whole: number;
  readonly own: number;
}

/** The times of several equal requests by the path of a call: `flow/recognize 3 of 8`. Requests that failed do not count. */
export interface MeasuredTimes {
  readonly requests: number;
  readonly steps: ReadonlyMap<string, StepTime>;
}

export const measuredTimes = (recordings: readonly Recording[]): MeasuredTimes => {
  const whole = recordings.filter(({ calls }) => calls.every(({ failed }) => !failed));
  const rows = groupBy(whole.flatMap(timelineOf).map((row) => [row.path, row] as const));
  const steps = [...rows].map(([path, own]): readonly [string, StepTime] => [
    path,
    { whole: median(own.map(({ call }) => lasted(call))), own: median(own.map((row) => row.own)) },
  ]);
  return { requests: whole.length, steps: new Map(steps) };
};

/** The row that usually takes longest, by `slowestOf`; without measured times, the slowest of this request. */
export const usuallySlowest = (
  rows: readonly TimelineRow[],
  isEnsemble: (model: string) => boolean,
  measured: MeasuredTimes | undefined,
): TimelineRow | undefined => {
  const usual = rows.map((row) => ({ ...row, own: measured?.steps.get(row.path)?.own ?? row.own }));
  const found = slowestOf(usual, isEnsemble);
  return rows.find(({ call }) => call === found?.call);
};

/** `The median of 20 requests is 3.40 ms. encoder usually takes longest: 1.60 ms. flow itself, between its steps: 0.90 ms.` */
export const measuredText = (
  { requests, steps }: MeasuredTimes,
  rows: readonly TimelineRow[],
  slowest: TimelineRow | undefined,
): string => {
  const [first] = rows;
  const total = first && steps.get(first.path);
  if (first === undefined || total === undefined) return "No request was answered, so there are no times.";
  const most = slowest && steps.get(slowest.path);
  return [
    `The median of ${counted(requests, "request")} is ${durationText(total.whole)}.`,
    ...(slowest === undefined || most === undefined || slowest === first
      ? []
      : [`${slowest.name} usually takes longest: ${durationText(most.own)}.`]),
    ...(rows.length > 1 ? [`${first.name} itself, between its steps: ${durationText(total.own)}.`] : []),
  ].join(" ");
};

const lasted = ({ start, end }: Call): number => (end - start) / 1000;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
};
