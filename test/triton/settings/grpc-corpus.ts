import type { GrpcRequest } from "../grpc-call.ts";

/** Requests that are sent one after the other to a server with default settings. */
export type GrpcSequences = Readonly<Record<string, readonly GrpcRequest[]>>;

const log = (settings: object = {}): GrpcRequest => ({ method: "LogSettings", message: { settings } });
const trace = (settings: Readonly<Record<string, readonly string[]>> = {}, model_name = ""): GrpcRequest => ({
  method: "TraceSetting",
  message: {
    model_name,
    settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, { value }])),
  },
});
const cleared = { trace_level: [], trace_rate: [], trace_count: [], log_frequency: [] };
const flag = (value: boolean): object => ({ bool_param: value });

export const resets: readonly GrpcRequest[] = [
  log({
    log_info: flag(true),
    log_warning: flag(true),
    log_error: flag(true),
    log_verbose_level: { uint32_param: 0 },
    log_format: { string_param: "default" },
  }),
  trace(cleared, "sum"),
  trace(cleared),
];

const kinds: Readonly<Record<string, object>> = {
  nothing: {},
  "a boolean": flag(false),
  "a number": { uint32_param: 3 },
  text: { string_param: "ISO8601" },
};

export const logs: GrpcSequences = {
  "log settings": [log()],
  ...Object.fromEntries(
    [
      "log_file",
      "log_info",
      "log_warning",
      "log_error",
      "log_verbose_level",
      "log_format",
      "log_more",
    ].flatMap((name) =>
      Object.entries(kinds).map(([kind, value]) => [`${kind} for ${name}`, [log({ [name]: value }), log()]]),
    ),
  ),
  "an unknown format": [log({ log_format: { string_param: "iso" } }), log()],
  "a level of 32 bits": [log({ log_verbose_level: { uint32_param: 4_294_967_295 } }), log()],
  "a wrong warning after info": [log({ log_info: flag(false), log_warning: {} }), log()],
};

const each = (
  changes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): GrpcSequences =>
  Object.fromEntries(
    Object.entries(changes).map(([name, settings]) => [`trace: ${name}`, [trace(settings), trace()]]),
  );

export const traces: GrpcSequences = {
  "trace settings": [trace()],
  "a model's trace settings": [trace({}, "sum")],
  "an unknown model's trace settings": [trace({}, "nope")],
  ...each({
    "a rate": { trace_rate: ["5"] },
    "two rates": { trace_rate: ["5", "6"] },
    "a rate below 0": { trace_rate: ["-1"] },
    "a rate that is not a number": { trace_rate: ["x"] },
    "a rate beyond 32 bits": { trace_rate: ["3000000000"] },
    "a count": { trace_count: ["7"] },
    "two counts": { trace_count: ["7", "8"] },
    "a count of -2": { trace_count: ["-2"] },
    "a count that is not a number": { trace_count: ["many"] },
    "a count beyond 32 bits": { trace_count: ["2147483648"] },
    "a frequency": { log_frequency: ["3"] },
    "two frequencies": { log_frequency: ["3", "4"] },
    "a frequency that is not a number": { log_frequency: ["often"] },
    "a file": { trace_file: ["x.json"] },
    "no file": { trace_file: [] },
    "a mode": { trace_mode: ["opentelemetry"] },
    "something unknown": { trace_more: ["1"] },
    "the level OFF": { trace_level: ["OFF"] },
    "an unknown level": { trace_level: ["SOME"] },
    "the level TIMESTAMPS": { trace_level: ["TIMESTAMPS"] },
    "two levels": { trace_level: ["TIMESTAMPS", "TENSORS"] },
    "OFF and another level": { trace_level: ["OFF", "TIMESTAMPS"] },
    "OFF twice": { trace_level: ["OFF", "OFF"] },
    "a level without a rate": { trace_level: ["TIMESTAMPS"], trace_rate: ["0"] },
  }),
  "a model's own rate": [trace({ trace_rate: ["2"] }, "sum"), trace({}, "sum"), trace()],
  "the server's rate": [trace({ trace_rate: ["9"] }), trace({}, "sum"), trace()],
  "a model's rate that is reset": [
    trace({ trace_rate: ["9"] }),
    trace({ trace_rate: ["2"] }, "sum"),
    trace({ trace_rate: [] }, "sum"),
    trace({}, "sum"),
  ],
};
