import { foreignError } from "@tritype/core";

/** Triton's trace settings, as texts. */
export type TraceSettings = Readonly<
  Record<(typeof numbers)[number] | "trace_file" | "trace_mode", string>
> & {
  readonly trace_level: readonly string[];
};

/** The values of one setting in a request: none to reset it, undefined if it is not given. */
export type TraceChanges = (name: string) => readonly string[] | undefined;

/** The trace settings of a server and of its models. */
export interface Trace {
  /** Those of a model, or of the server for "". */
  settings(model: string): TraceSettings;
  /**
   * @param got Precedes a count that is too small in the message: HTTP and gRPC spell it differently.
   * @throws PipelineError with Triton's message; then nothing changes.
   */
  update(model: string, changes: TraceChanges, got: string): void;
}

const numbers = ["trace_rate", "trace_count", "log_frequency"] as const;

/** Settings of one level; the rest comes from the level above. */
type Layer = Partial<Readonly<Record<(typeof numbers)[number], number>>>;

const defaults: Required<Layer> = { trace_rate: 1000, trace_count: -1, log_frequency: 0 };

/**
 * No trace is written: as in a Triton without a trace file, which no request can name, the level cannot be other than OFF.
 */
export const createTrace = (): Trace => {
  const layers = new Map<string, Layer>();
  const valuesOf = (model: string, own = layers.get(model)): Required<Layer> => ({
    ...defaults,
    ...(model === "" ? {} : layers.get("")),
    ...own,
  });
  return {
    settings: (model) => {
      const values = valuesOf(model);
      return {
        trace_level: ["OFF"],
        trace_rate: String(values.trace_rate >>> 0),
        trace_count: String(values.trace_count),
        log_frequency: String(values.log_frequency >>> 0),
        trace_file: "",
        trace_mode: "triton",
      };
    },
    update: (model, changes, got) => {
      if (changes("trace_file") !== undefined)
        throw foreignError(
          "request/unsupported",
          "trace file location can not be updated through network protocol",
        );
      const traces = asksForTraces(changes("trace_level") ?? []);
      const layer: { -readonly [K in keyof Layer]: Layer[K] } = { ...layers.get(model) };
      for (const name of numbers) {
        const given = changes(name);
        if (given?.length === 0) delete layer[name];
        else if (given !== undefined) layer[name] = readNumber(name, given, got);
      }
      if (traces) throw refusal(valuesOf(model, layer));
      layers.set(model, layer);
    },
  };
};

const asksForTraces = (levels: readonly string[]): boolean => {
  if (levels.includes("OFF") && levels.length > 1)
    throw foreignError("request/invalid", "Expect only one trace level 'OFF' is specified");
  return levels.some((level) => level === "TIMESTAMPS" || level === "TENSORS");
};

const refusal = ({ trace_rate: rate }: Required<Layer>): Error =>
  foreignError(
    "request/invalid",
    `Attempting to set invalid trace setting :${rate === 0 ? "sample rate must be non-zero" : "trace file name is not given"}`,
  );

/** A number as C++'s `stoi` reads it. */
const readNumber = (name: (typeof numbers)[number], values: readonly string[], got: string): number => {
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
  return value;
};
