import { isObject, parseObject } from "@tritype/core";
import type { ModelContext } from "../model-context.ts";

/** The object in a JSON file of a model; undefined if no file is readable or it is larger than `limit` bytes. */
export const readJson = (
  model: ModelContext,
  path: string,
  limit: number = 2 ** 20,
): Readonly<Record<string, unknown>> | undefined => {
  const bytes = model.read(path, limit + 1);
  return bytes === undefined || bytes.length > limit ? undefined : parseObject(bytes);
};

export const numberIn = (value: unknown, key: string): number | undefined => {
  const number = isObject(value) ? value[key] : undefined;
  return typeof number === "number" ? number : undefined;
};
