import type { RawRequest } from "../raw-request.ts";

/** Requests that are sent one after the other to a server with default settings. */
export type HttpSequences = Readonly<Record<string, readonly RawRequest[]>>;

const ask =
  (path: string) =>
  (body?: unknown): RawRequest => ({
    path,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
const logging = ask("/v2/logging");
const trace = ask("/v2/trace/setting");
const traceOf = (model: string) => ask(`/v2/models/${model}/trace/setting`);
const sum = traceOf("sum");

/** For each body, a request with it and one that reads the settings afterwards. */
const each = (
  of: string,
  send: (body: unknown) => RawRequest,
  get: RawRequest,
  bodies: Readonly<Record<string, unknown>>,
) => Object.fromEntries(Object.entries(bodies).map(([name, body]) => [`${of}: ${name}`, [send(body), get]]));

export const logs: HttpSequences = {
  "log settings": [logging()],
  "PUT of log settings": [{ method: "PUT", path: "/v2/logging", body: "{}" }],
  ...each("log", logging, logging(), {
    "an empty body": "",
    "no JSON": "{",
    "a list": [],
    nothing: {},
    "every setting": {
      log_info: false,
      log_warning: false,
      log_error: false,
      log_verbose_level: 1,
      log_format: "ISO8601",
    },
    "something unknown": { log_more: 1 },
    "a file": { log_file: "x.log" },
    "no file": { log_file: null },
    "a file that is a number": { log_file: 1 },
    "info that is text": { log_info: "true" },
    "info that is null": { log_info: null },
    "info that is 0": { log_info: 0 },
    "warnings that are text, after info": { log_info: false, log_warning: "no" },
    "a level that is text": { log_verbose_level: "1" },
    "a level below 0": { log_verbose_level: -1 },
    "a level that is a fraction": { log_verbose_level: 0.5 },
    "a level that is a boolean": { log_verbose_level: true },
    "a level that is null": { log_verbose_level: null },
    "a level of 32 bits": { log_verbose_level: 4_294_967_295 },
    "a level beyond 32 bits": { log_verbose_level: 4_294_967_297 },
    "an unknown format": { log_format: "iso8601" },
    "an empty format": { log_format: "" },
    "a format that is a number": { log_format: 1 },
    "a format that is null": { log_format: null },
  }),
};

export const traces: HttpSequences = {
  "trace settings": [trace()],
  "a model's trace settings": [sum()],
  "an unknown model's trace settings": [traceOf("nope")()],
  "trace settings for an unknown model": [traceOf("nope")({ trace_rate: "1" })],
  "PUT of trace settings": [{ method: "PUT", path: "/v2/trace/setting", body: "{}" }],
  ...each("trace", trace, trace(), {
    "an empty body": "",
    "no JSON": "{",
    "a list": [],
    nothing: {},
    "a rate": { trace_rate: "5" },
    "a rate of 0": { trace_rate: "0" },
    "a rate below 0": { trace_rate: "-1" },
    "a rate with text behind": { trace_rate: "5x" },
    "a rate with a space": { trace_rate: " 5" },
    "a rate with a plus": { trace_rate: "+5" },
    "a rate that is not a number": { trace_rate: "x" },
    "an empty rate": { trace_rate: "" },
    "a rate beyond 32 bits": { trace_rate: "3000000000" },
    "a rate that is a number": { trace_rate: 5 },
    "a rate that is null": { trace_rate: null },
    "a count": { trace_count: "7" },
    "a count of 0": { trace_count: "0" },
    "a count of -1": { trace_count: "-1" },
    "a count of -2": { trace_count: "-2" },
    "a count that is not a number": { trace_count: "many" },
    "a count beyond 32 bits": { trace_count: "2147483648" },
    "a count that is a number": { trace_count: 7 },
    "a frequency": { log_frequency: "3" },
    "a frequency below 0": { log_frequency: "-3" },
    "a frequency that is not a number": { log_frequency: "often" },
    "a frequency beyond 32 bits": { log_frequency: "99999999999" },
    "a file": { trace_file: "x.json" },
    "a file that is null": { trace_file: null },
    "a mode": { trace_mode: "opentelemetry" },
    "something unknown": { trace_more: 1 },
    "the level OFF": { trace_level: ["OFF"] },
    "no level": { trace_level: [] },
    "a level that is null": { trace_level: null },
    "an unknown level": { trace_level: ["SOME"] },
    "the level TIMESTAMPS": { trace_level: ["TIMESTAMPS"] },
    "the level TENSORS": { trace_level: ["TENSORS"] },
    "two levels": { trace_level: ["TIMESTAMPS", "TENSORS"] },
    "OFF and another level": { trace_level: ["OFF", "TIMESTAMPS"] },
    "a level that is text": { trace_level: "TIMESTAMPS" },
    "a level that is a number": { trace_level: [1] },
    "a level without a rate": { trace_level: ["TIMESTAMPS"], trace_rate: "0" },
    "a wrong rate after a level": { trace_level: ["TIMESTAMPS"], trace_rate: "x" },
    "a wrong count after a rate": { trace_rate: "5", trace_count: "x" },
  }),
  "a model's own rate": [sum({ trace_rate: "2" }), sum(), trace()],
  "a model's own rate, then the server's": [
    sum({ trace_rate: "2" }),
    trace({ trace_rate: "9", trace_count: "4" }),
    sum(),
  ],
  "the server's rate": [trace({ trace_rate: "9" }), sum(), trace()],
  "a model's rate that is reset": [
    trace({ trace_rate: "9" }),
    sum({ trace_rate: "2" }),
    sum({ trace_rate: null }),
    sum(),
  ],
  "a model's level": [sum({ trace_level: ["TIMESTAMPS"] }), sum()],
};
