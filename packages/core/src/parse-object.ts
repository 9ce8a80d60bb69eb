import { attempt } from "./attempt.ts";
import { isObject } from "./is-object.ts";
import { decodeUtf8, withoutMark } from "./utf8.ts";

/** The object in a JSON text; undefined if the text is not an object. */
export const parseObject = (bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  const json: unknown = attempt(() => JSON.parse(decodeUtf8(withoutMark(bytes))));
  return isObject(json) ? json : undefined;
};
