import { isObject } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { digestOf } from "./digest.ts";

/** Members that the page shows in another form, and the build's own mark. */
const left: ReadonlySet<string> = new Set(["name", "input", "output", "ensemble_scheduling"]);
const ownMark = "parameters.tritype_contract.string_value";
const longest = 120;

/** The fields of a configuration as strings, by path: `dynamic_batching.max_queue_delay_microseconds` → `100`. */
export const configFields = (config: ModelConfig): Readonly<Record<string, string>> => {
  const fields: [path: string, value: string][] = [];
  const visit = (path: string, value: unknown): void => {
    const members = isObject(value) ? Object.entries(value) : [];
    if (members.length === 0) fields.push([path, textOf(value)]);
    else for (const [name, member] of members) visit(`${path}.${name}`, member);
  };
  for (const [name, value] of Object.entries(config))
    if (!left.has(name) && value !== undefined) visit(name, value);
  return Object.fromEntries(fields.filter(([path]) => path !== ownMark));
};

/** A long value, such as a warmup request, is truncated; its digest distinguishes it from others. */
const textOf = (value: unknown): string => {
  const text =
    typeof value === "string"
      ? value
      : JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${digestOf(text).slice(0, 8)})`;
};
