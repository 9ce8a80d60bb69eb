import type { TraceFile } from "./trace-file.ts";
import type { TraceChange, TraceValues } from "./trace-values.ts";

/** The settings of the server or of a model, with the traces that they produced. A change creates a new object. */
export interface TraceSetting {
  values(): TraceValues;
  /** The settings made at this level; the others come from the level above. */
  readonly own: ReadonlySet<keyof TraceValues>;
  /** The reason why it traces nothing; "" if its count is used up, undefined if it does trace. */
  problem(): string | undefined;
  /** Counts a request; returns whether it should be traced. */
  sample(): boolean;
  /** Called when a trace is complete. @param text The records of the trace; "" if there are none. */
  write(text: string): void;
  /** No more requests will arrive: the collected records are written when the last trace is complete. */
  retire(): void;
  /** Called for a trace that will not be written. */
  forget(): void;
}

/** Text beyond this size is written to the file without an index immediately, not when the server is closed. */
const mostCollected = 2 ** 20;

/** @param file Where traces are written as text; spans are sent separately. */
export const createTraceSetting = (
  initial: TraceValues,
  own: ReadonlySet<keyof TraceValues>,
  file: TraceFile | undefined,
  destination: "files" | "collector" | undefined,
): TraceSetting => {
  const { trace_level: levels, trace_rate: rate, log_frequency: frequency } = initial;
  let count = initial.trace_count;
  let sampled = 0;
  let written = 0;
  let open = 0;
  let retired = false;
  let collected: string[] = [];
  let traces = 0;
  let size = 0;

  const save = (indexed: boolean): void => {
    const text = collected.join();
    collected = [];
    traces = 0;
    size = 0;
    if (indexed) file?.saveIndexed(text);
    else file?.append(text);
  };
  const leave = (): void => {
    open--;
    if (retired && open === 0 && traces > 0) save(frequency !== 0);
  };
  const problem = (): string | undefined => {
    if (levels.length === 0) return "tracing is disabled";
    if (rate === 0) return "sample rate must be non-zero";
    if (destination === undefined) return "trace file name is not given";
    return count === 0 ? "" : undefined;
  };
  return {
    values: () => ({ ...initial, trace_count: count }),
    own,
    problem,
    sample: () => {
      if (problem() !== undefined || ++sampled % rate !== 0) return false;
      if (count > 0) count--;
      open++;
      return true;
    },
    write: (text) => {
      written++;
      if (file !== undefined && text !== "") {
        collected.push(text);
        traces++;
        size += text.length;
        // Source: `WriteTrace` of Triton's tracer, which compares with the number of requests, traced or not.
        const complete = count === 0 && written === sampled;
        if (complete || (frequency !== 0 && traces >= frequency)) save(true);
        else if (frequency === 0 && count < 0 && size > mostCollected) save(false);
      }
      leave();
    },
    forget: leave,
    retire: () => {
      if (retired) return;
      retired = true;
      if (open === 0 && traces > 0) save(frequency !== 0);
    },
  };
};

/** The settings after a change: those made here; the others come from the level above. */
export const changedSetting = (
  current: TraceSetting | undefined,
  above: TraceValues,
  change: TraceChange,
): { readonly values: TraceValues; readonly own: ReadonlySet<keyof TraceValues> } => {
  const own = new Set(current?.own);
  const values: { -readonly [K in keyof TraceValues]: TraceValues[K] } = { ...above };
  const before = current?.values();
  const take = <K extends keyof TraceValues>(name: K): void => {
    if (Object.hasOwn(change, name)) {
      if (change[name] === undefined) own.delete(name);
      else own.add(name);
    }
    if (own.has(name)) values[name] = change[name] ?? before?.[name] ?? above[name];
  };
  for (const name of Object.keys(above) as (keyof TraceValues)[]) take(name);
  return { values, own };
};
