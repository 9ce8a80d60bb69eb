interface V8Error {
  new (): Error;
  captureStackTrace?(target: object, above?: (...args: never[]) => unknown): void;
  stackTraceLimit?: number;
}
const V8 = Error as unknown as V8Error;

/** The position of the user's call; the engine formats the frames when `stack` is read. */
export interface CallSite {
  readonly stack?: string;
}

/** Records the position at which the user called `above`. Costs about 1.4 µs if the result is never read. */
export const callSite = (above: (...args: never[]) => unknown): CallSite => {
  if (V8.captureStackTrace === undefined) return new Error("call site");
  const site: CallSite = {};
  const limit = V8.stackTraceLimit;
  V8.stackTraceLimit = 8;
  V8.captureStackTrace(site, above);
  if (limit === undefined) delete V8.stackTraceLimit;
  else V8.stackTraceLimit = limit;
  return site;
};
