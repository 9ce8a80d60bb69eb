import { foreignError } from "@tritype/core";
import type { Log } from "../settings/log-settings.ts";
import { openTrace, type ServerTrace } from "./open-trace.ts";
import type { CallerSpan } from "./span-record.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";
import { createTextRecord } from "./text-record.ts";
import { createTraceFile } from "./trace-file.ts";
import { batchDefaults, type TraceCollector, type TraceOptions } from "./trace-options.ts";
import { changedSetting, createTraceSetting, type TraceSetting } from "./trace-setting.ts";
import { readTraceChange, type TraceChange, type TraceChanges, type TraceValues } from "./trace-values.ts";

/** A setting and its value, as strings. A name may occur more than once. */
export type PrintedSetting = readonly [name: string, value: string | readonly string[]];

/** The traces of a server, and their settings. */
export interface Trace {
  /** The settings of a model, or of the server for "". */
  settings(model: string): readonly PrintedSetting[];
  /**
   * @param got As for `readTraceChange`.
   * @throws PipelineError with Triton's message; then nothing changes, except that the server's own settings change even
   * if they conflict with those of a model.
   */
  update(model: string, changes: TraceChanges, got: string): void;
  /**
   * The trace of a request, if it should be traced.
   * @param caller Called only for spans.
   */
  sample(model: string, protocol: "http" | "grpc", caller: () => CallerSpan): ServerTrace | undefined;
  /** Writes the remaining traces. Requests that are still running lose their traces. */
  close(): Promise<void>;
}

/** @param log Receives failures to write files, and one warning if the collector does not accept spans. */
export const createTrace = (options: TraceOptions | undefined, log: Pick<Log, "error" | "warn">): Trace => {
  const { levels = [], rate = 1000, count = -1, to } = options ?? {};
  const file = to?.kind === "files" ? createTraceFile(to.file, log.error) : undefined;
  const telemetry: Telemetry | undefined =
    to?.kind === "collector" ? createTelemetry(to, log.warn) : undefined;
  const defaults: TraceValues = {
    trace_level: levels,
    trace_rate: rate,
    trace_count: count,
    log_frequency: to?.kind === "files" ? (to.logFrequency ?? 0) : 0,
  };
  const make = (values: TraceValues, own: TraceSetting["own"]): TraceSetting =>
    createTraceSetting(values, own, file, to?.kind);
  const models = new Map<string, TraceSetting>();
  let server = make(defaults, new Set());
  let ids = 0;

  const change = (model: string, given: TraceChange): void => {
    const current = model === "" ? server : models.get(model);
    const { values, own } = changedSetting(current, model === "" ? defaults : server.values(), given);
    if (model !== "" && own.size === 0) {
      models.delete(model);
      current?.retire();
      return;
    }
    const next = make(values, own);
    const problem = next.problem();
    if (problem !== undefined && values.trace_level.length > 0)
      throw foreignError("request/invalid", `Attempting to set invalid trace setting :${problem}`);
    if (model === "") server = next;
    else models.set(model, next);
    current?.retire();
  };

  return {
    settings: (model) => printSettings((models.get(model) ?? server).values(), to),
    update: (model, changes, got) => {
      change(model, readTraceChange(changes, got));
      if (model === "") for (const name of models.keys()) change(name, {});
    },
    sample: (model, protocol, caller) => {
      const setting = models.get(model) ?? server;
      if (!setting.sample()) return undefined;
      const record =
        telemetry === undefined
          ? createTextRecord((text) => setting.write(text))
          : telemetry.record(caller(), () => setting.write(""));
      return openTrace({
        record,
        levels: setting.values().trace_level,
        nextId: () => ++ids,
        protocol,
        over: (kept) => {
          if (!kept) setting.forget();
        },
      });
    },
    close: async () => {
      for (const setting of [server, ...models.values()]) setting.retire();
      await Promise.all([file?.close(), telemetry?.close()]);
    },
  };
};

const printSettings = (values: TraceValues, to: TraceOptions["to"]): readonly PrintedSetting[] => [
  ["trace_level", values.trace_level.length === 0 ? ["OFF"] : values.trace_level],
  ["trace_rate", String(values.trace_rate)],
  ["trace_count", String(values.trace_count)],
  ...(to?.kind === "collector"
    ? collectorSettings(to)
    : [
        ["log_frequency", String(values.log_frequency)] as const,
        ["trace_file", to?.file ?? ""] as const,
        ["trace_mode", "triton"] as const,
      ]),
];

/** The settings that were written, then the defaults of the rest, in Triton's order. */
const collectorSettings = ({ written = [], ...to }: TraceCollector): readonly PrintedSetting[] => {
  const names = new Set(written.map(([name]) => name));
  const batch = [
    ["bsp_max_export_batch_size", String(to.maxExportBatchSize ?? batchDefaults.maxExportBatchSize)],
    ["bsp_schedule_delay", String(to.scheduleDelay ?? batchDefaults.scheduleDelay)],
    ["bsp_max_queue_size", String(to.maxQueueSize ?? batchDefaults.maxQueueSize)],
  ] as const;
  return [["trace_mode", "opentelemetry"], ...written, ...batch.filter(([name]) => !names.has(name))];
};
