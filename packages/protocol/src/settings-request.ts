import { maxText } from "./infer-request.ts";
import { type JsonKind, type JsonValue, malformed, memberOf } from "./json-value.ts";
import { jsonSteps } from "./parse-json.ts";
import type { Steps } from "./steps.ts";

/**
 * Reads one setting of a request; undefined if it is not given, null if it is to be reset.
 * @throws PipelineError `request/malformed` with Triton's message for a value of another kind.
 */
export type ReadSetting = <T extends JsonValue>(name: string, kind: JsonKind<T>) => T | null | undefined;

/**
 * The body of `POST /v2/logging` and `POST /v2/trace/setting`. The settings are read one by one: in Triton, settings
 * before an invalid one may already have taken effect.
 * @throws PipelineError `request/malformed` with Triton's message if it is not JSON.
 */
export function* settingsRequestSteps(body: Uint8Array): Steps<ReadSetting> {
  const json = yield* jsonSteps(body, { keepDoubles: true, maxText });
  return (name, kind) => {
    const value = memberOf(json, name);
    if (value === undefined || value === null) return value;
    if (!kind.is(value)) throw malformed(kind.wrong);
    return value;
  };
}
