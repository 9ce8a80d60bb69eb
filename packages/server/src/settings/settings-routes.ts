import { foreignError } from "@tritype/core";
import { jsonArray, jsonBool, jsonString, jsonUnsigned, settingsRequestSteps } from "@tritype/protocol";
import type { JsonKind, JsonValue, ReadSetting } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import { type Answer, jsonAnswer } from "../answer.ts";
import { readMessage } from "../read-body.ts";
import type { RouteContext } from "../route-context.ts";
import type { PrintedSetting } from "../tracing/trace-settings.ts";
import { isLogFormat } from "./log-settings.ts";

/** `GET` and `POST /v2/logging` */
export const loggingRoute = async (context: RouteContext): Promise<Answer> => {
  const { log } = context.extensions;
  const read = await readSettings(context);
  if (read !== undefined)
    log.update({
      file: () => read("log_file", anything) != null,
      flag: (name) => read(name, jsonBool) ?? undefined,
      level: () => {
        const level = read("log_verbose_level", jsonUnsigned);
        return level == null ? undefined : Number(BigInt.asIntN(32, BigInt(level)));
      },
      format: () => {
        const format = read("log_format", jsonString) ?? undefined;
        if (format !== undefined && !isLogFormat(format))
          throw foreignError("model/unavailable", `invalid argument for --log_format, got: ${format}`);
        return format;
      },
    });
  return jsonAnswer(log.settings());
};

/** `GET` and `POST /v2/trace/setting`, `/v2/models/<model>/trace/setting` */
export const traceRoute = async (context: RouteContext, model: string): Promise<Answer> => {
  const { trace } = context.extensions;
  requireModel(context.runtime, model);
  const read = await readSettings(context);
  if (read !== undefined)
    trace.update(
      model,
      (name) => {
        if (name === "trace_file") return read(name, anything) === undefined ? undefined : [];
        if (name !== "trace_level") return listOf(read(name, jsonString));
        const levels = read(name, jsonArray);
        if (levels === null) return [];
        return levels === undefined || levels.length === 0
          ? undefined
          : levels.map((level) => {
              if (!jsonString.is(level)) throw foreignError("request/malformed", jsonString.wrong);
              return level;
            });
      },
      "got:",
    );
  return { ...jsonAnswer({}), body: printSettings(trace.settings(model)) };
};

/** @throws PipelineError `request/invalid` with Triton's message. @param model "" for the whole server. */
export const requireModel = (runtime: Runtime, model: string): void => {
  if (model !== "" && !runtime.modelReady(model))
    throw foreignError("request/invalid", `Request for unknown model : ${model}`);
};

const readSettings = async (context: RouteContext): Promise<ReadSetting | undefined> =>
  context.request.method === "POST" ? readMessage(context, settingsRequestSteps) : undefined;

/** A JSON object; names may repeat, as in Triton. */
const printSettings = (settings: readonly PrintedSetting[]): string =>
  `{${settings.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;

const anything: JsonKind<JsonValue> = { is: (value): value is JsonValue => value !== null, wrong: "" };

const listOf = (value: string | null | undefined): readonly string[] | undefined =>
  value === undefined ? undefined : value === null ? [] : [value];
