import { foreignError } from "@tritype/core";
import type { TraceLevel } from "./trace-options.ts";

/** The settings that requests can change. */
export interface TraceValues {
  readonly trace_level: readonly TraceLevel[];
  readonly trace_rate: number;
  /** The number of traces that are left; below 0, no limit. */
  readonly trace_count: number;
  readonly log_frequency: number;
}

/** The values of one setting in a request: an empty list resets it; undefined if it is not given. */
export type TraceChanges = (name: string) => readonly string[] | undefined;

/** The changes in one request: a setting that is undefined is reset. */
export type TraceChange = { readonly [K in keyof TraceValues]?: TraceValues[K] | undefined };

/**
 * @param got The text before the count in the message for a count that is too small; it differs between HTTP and gRPC.
 * @throws PipelineError with Triton's message.
 */
export const readTraceChange = (changes: TraceChanges, got: string): TraceChange => {
  if (changes("trace_file") !== undefined)
    throw foreignError(
      "request/unsupported",
      "trace file location can not be updated through network protocol",
    );
  const change: { -readonly [K in keyof TraceValues]?: TraceValues[K] | undefined } = {};
  const levels = changes("trace_level");
  if (levels?.length === 0) change.trace_level = undefined;
  else if (levels?.some((level) => levelNames.has(level)) === true) change.trace_level = readLevels(levels);
  for (const name of ["trace_rate", "trace_count", "log_frequency"] as const) {
    const given = changes(name);
    if (given !== undefined) change[name] = given.length === 0 ? undefined : readNumber(name, given, got);
  }
  return change;
};

/** Other levels are ignored. */
const levelNames: ReadonlySet<string> = new Set(["OFF", "TIMESTAMPS", "TENSORS"]);

const readLevels = (levels: readonly string[]): readonly TraceLevel[] => {
  if (levels.includes("OFF") && levels.length > 1)
    throw foreignError("request/invalid", "Expect only one trace level 'OFF' is specified");
  return (["TIMESTAMPS", "TENSORS"] as const).filter((level) => levels.includes(level));
};

/** A number as C++'s `stoi` reads it; the rate and the frequency are unsigned. */
const readNumber = (
  name: "trace_rate" | "trace_count" | "log_frequency",
  values: readonly string[],
  got: string,
): number => {
  const [text = ""] = values;
  const refuse = (message: string): Error => foreignError("request/invalid", message);
  if (values.length > 1) throw refuse(`expect only 1 value for '${name}'`);
  const digits = /^\s*[+-]?[0-9]+/.exec(text)?.[0];
  if (digits === undefined) throw refuse(`Unable to parse '${name}', got: ${text}`);
  const value = Number(digits);
  const signed = name === "trace_count";
  if (value !== (value | 0))
    throw refuse(
      `Unable to parse '${name}', value is out of range [ ${signed ? -1 : 0}, ${signed ? 2 ** 31 - 1 : 2 ** 32 - 1} ], got: ${text}`,
    );
  if (signed && value < -1) throw refuse(`Unable to parse '${name}'. Expecting value >= -1, ${got}${text}`);
  return signed ? value : value >>> 0;
};
