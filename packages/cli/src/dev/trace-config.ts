import { ownValue } from "@tritype/core";
import type { TraceCollector, TraceFiles, TraceLevel, TraceOptions } from "@tritype/server";
import { type Given, usage } from "../command.ts";

/**
 * Trace settings from `--trace-config` and tritonserver's older options; undefined if none are given. A later setting replaces an
 * earlier one, except that levels and resource attributes accumulate.
 * @throws PipelineError `usage/invalid`
 */
export const traceConfigOf = (given: Given): TraceOptions | undefined => {
  const written = [...olderSettings(given), ...given.texts("trace-config").map(readSetting)];
  if (written.length === 0) return undefined;
  const last = (group: string, name: string): Setting | undefined =>
    written.findLast((one) => one.group === group && one.name === name);
  for (const setting of written) requireKnown(setting);
  const levels = levelsOf(written.filter(({ group, name }) => group === "" && name === "level"));
  const mode = last("", "mode")?.value ?? "triton";
  const [rate, count] = [last("", "rate"), last("", "count")];
  const to = mode === "triton" ? filesOf(last) : collectorOf(written, last);
  if (to === undefined && levels.length > 0)
    throw usage(
      "traces have no file",
      "add --trace-config triton,file=<path>, or --trace-config mode=opentelemetry",
    );
  return {
    levels,
    ...(rate === undefined ? {} : { rate: wholeNumber(rate, 0) }),
    ...(count === undefined ? {} : { count: wholeNumber(count, -1) }),
    ...(to === undefined ? {} : { to }),
  };
};

/** `<name>=<value>`, or `<group>,<name>=<value>`. */
interface Setting {
  /** "" for settings of all modes. */
  readonly group: string;
  readonly name: string;
  readonly value: string;
  /** The option and its value. */
  readonly shown: string;
}

type Last = (group: string, name: string) => Setting | undefined;

const known: Readonly<Record<string, readonly string[]>> = {
  "": ["mode", "level", "rate", "count"],
  triton: ["file", "log-frequency"],
  opentelemetry: ["url", "resource", "bsp_max_queue_size", "bsp_schedule_delay", "bsp_max_export_batch_size"],
};

const older: Readonly<Record<string, readonly [group: string, name: string]>> = {
  "trace-file": ["triton", "file"],
  "trace-level": ["", "level"],
  "trace-rate": ["", "rate"],
  "trace-count": ["", "count"],
  "trace-log-frequency": ["triton", "log-frequency"],
};

const olderSettings = (given: Given): readonly Setting[] =>
  Object.entries(older).flatMap(([option, [group, name]]) => {
    const values = option === "trace-level" ? given.texts(option) : [given.text(option)];
    return values.flatMap((value) =>
      value === undefined ? [] : [{ group, name, value, shown: `--${option} ${value}` }],
    );
  });

const readSetting = (written: string): Setting => {
  const shown = `--trace-config ${written}`;
  const [, group = "", name = "", value = ""] = /^(?:([^,=]*),)?([^,=]+)=(.*)$/.exec(written) ?? [];
  if (value === "")
    throw usage(`${shown} has no setting`, "write <setting>=<value> or <mode>,<setting>=<value>");
  return { group, name, value: value.trim(), shown };
};

const requireKnown = ({ group, name, value, shown }: Setting): void => {
  const names = ownValue(known, group);
  if (names === undefined) throw usage(`${shown} has an unknown mode`, "use triton or opentelemetry");
  if (!names.includes(name)) throw usage(`${shown} has an unknown setting`, `use ${names.join(", ")}`);
  if (name === "mode" && value !== "triton" && value !== "opentelemetry")
    throw usage(`${shown} has an unknown mode`, "use triton or opentelemetry");
};

/** As in Triton, its older names for levels are still accepted. */
const levelNames: Readonly<Record<string, readonly TraceLevel[]>> = {
  OFF: [],
  TIMESTAMPS: ["TIMESTAMPS"],
  TENSORS: ["TENSORS"],
  MIN: ["TIMESTAMPS"],
  MAX: ["TIMESTAMPS"],
};

const levelsOf = (settings: readonly Setting[]): readonly TraceLevel[] => {
  const wanted = settings.flatMap(({ value, shown }) => {
    const levels = levelNames[value.toUpperCase()];
    if (levels === undefined) throw usage(`${shown} has an unknown level`, "use OFF, TIMESTAMPS or TENSORS");
    return levels;
  });
  return (["TIMESTAMPS", "TENSORS"] as const).filter((level) => wanted.includes(level));
};

const filesOf = (last: Last): TraceFiles | undefined => {
  const [file, written] = [last("triton", "file"), last("triton", "log-frequency")];
  const frequency = written === undefined ? {} : { logFrequency: wholeNumber(written, 0) };
  return file === undefined ? undefined : { kind: "files", file: file.value, ...frequency };
};

const collectorOf = (written: readonly Setting[], last: Last): TraceCollector => {
  const own = written.filter(({ group }) => group === "opentelemetry");
  const resources = own.filter(({ name }) => name === "resource");
  const number = (name: string, least: number): number | undefined => {
    const setting = last("opentelemetry", name);
    return setting === undefined ? undefined : wholeNumber(setting, least);
  };
  const [url, queue, delay, batch] = [
    last("opentelemetry", "url"),
    number("bsp_max_queue_size", 1),
    number("bsp_schedule_delay", 0),
    number("bsp_max_export_batch_size", 1),
  ];
  return {
    kind: "collector",
    ...(url === undefined ? {} : { url: urlOf(url) }),
    resource: new Map(resources.map(attributeOf)),
    ...(queue === undefined ? {} : { maxQueueSize: queue }),
    ...(delay === undefined ? {} : { scheduleDelay: delay }),
    ...(batch === undefined ? {} : { maxExportBatchSize: batch }),
    written: own.map(({ name, value }) => [name, value] as const),
  };
};

const attributeOf = ({ value, shown }: Setting): readonly [string, string] => {
  const at = value.indexOf("=");
  if (at < 1) throw usage(`${shown} is not an attribute`, "write opentelemetry,resource=<name>=<value>");
  return [value.slice(0, at), value.slice(at + 1)];
};

const urlOf = ({ value, shown }: Setting): string => {
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return value;
  throw usage(`${shown} is not a URL`, "write opentelemetry,url=http://<host>:4318/v1/traces");
};

const wholeNumber = ({ value, shown }: Setting, least: number): number => {
  const number = Number(value);
  if (/^-?\d+$/.test(value) && number >= least && number < 2 ** 31) return number;
  throw usage(`${shown} is not a whole number from ${least}`, `such as ${Math.max(1, least)}`);
};
