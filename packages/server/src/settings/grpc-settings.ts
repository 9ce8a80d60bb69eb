import { foreignError, ownValue } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import type { Extensions } from "../extensions.ts";
import { isLogFormat } from "./log-settings.ts";
import { requireModel } from "./settings-routes.ts";

/** A `LogSettingsRequest.SettingValue`, decoded. */
interface LogValue {
  readonly parameter_choice?: string;
  readonly bool_param: boolean;
  readonly uint32_param: number;
  readonly string_param: string;
}
interface LogMessage {
  readonly settings: Readonly<Record<string, LogValue>>;
}

interface TraceMessage {
  readonly model_name: string;
  readonly settings: Readonly<Record<string, { readonly value: readonly string[] }>>;
}

/** `LogSettings` */
export const logSettings = ({ log }: Extensions, { settings }: LogMessage): object => {
  const read = <K extends keyof LogValue>(
    name: string,
    kind: K,
    expected: string,
  ): LogValue[K] | undefined => {
    const value = ownValue(settings, name);
    if (value !== undefined && value.parameter_choice !== kind)
      throw foreignError("request/invalid", `expect ${expected} for '${name}'`);
    return value?.[kind];
  };
  log.update({
    file: () => Object.hasOwn(settings, "log_file"),
    flag: (name) => read(name, "bool_param", "boolean"),
    level: () => read("log_verbose_level", "uint32_param", "int32"),
    format: () => {
      const format = read("log_format", "string_param", "string");
      if (format !== undefined && !isLogFormat(format))
        throw foreignError("request/invalid", `invalid argument for log_format, got: ${format}`);
      return format;
    },
  });
  return {
    settings: Object.fromEntries(
      Object.entries(log.settings()).map(([name, value]) => [
        name,
        { [kinds[typeof value] as string]: value },
      ]),
    ),
  };
};

const kinds: Readonly<Record<string, string>> = {
  boolean: "bool_param",
  number: "uint32_param",
  string: "string_param",
};

/** `TraceSetting` */
export const traceSettings = (
  runtime: Runtime,
  { trace }: Extensions,
  { model_name: model, settings }: TraceMessage,
): object => {
  requireModel(runtime, model);
  trace.update(model, (name) => (Object.hasOwn(settings, name) ? settings[name]?.value : undefined), "got: ");
  const values: Record<string, { readonly value: string[] }> = {};
  for (const [name, value] of trace.settings(model))
    (values[name] ??= { value: [] }).value.push(...[value].flat());
  return { settings: values };
};
