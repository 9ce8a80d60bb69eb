import { dtypeOfConfigName } from "@tritype/core";
import {
  type FieldSchema,
  type MessageSchema,
  modelConfigSchema,
  type ValueSchema,
} from "./config-schema.ts";
import { commonPrefix, optionName } from "./lower-model-fields.ts";

/**
 * A sentence about a configuration, in the terms of `pipeline.ts`: `max_queue_delay_microseconds` → `maxQueueDelay`,
 * `kind: KIND_CPU` → `kind: "cpu"`, `latest { }` → `latest: {}`, TYPE_FP32 → FP32. Fields that a pipeline cannot set keep
 * their names.
 * @param names The author's own names: a tensor may be called `model_warmup`.
 */
export const inOptionTerms = (text: string, names: ReadonlySet<unknown> = new Set()): string => {
  const { fields, messages, values } = (known ??= collectTerms());
  const term = (word: string): string =>
    values.get(word) ?? (names.has(word) ? undefined : fields.get(word)) ?? word;
  return text
    .replaceAll("remove `dynamic_batching`", "set `dynamicBatching: null`")
    .replaceAll(/\b([a-z]\w*) \{ ?\}/g, (whole, word: string) => (messages.has(word) ? `${word}: {}` : whole))
    .replaceAll(/\b(\w+): ([A-Z][A-Z0-9_]*)\b/g, (whole, field: string, value: string) => {
      const found = values.get(`${field}: ${value}`);
      return found === undefined ? whole : `${field}: "${found}"`;
    })
    .replaceAll(/(?<![\w.'"])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w'"(])/g, term);
};

interface Terms {
  /** Name of a field → name of the option. */
  readonly fields: ReadonlyMap<string, string>;
  /** Names of fields that are messages. */
  readonly messages: ReadonlySet<string>;
  /** `KIND_CPU` → `"cpu"`, `TYPE_FP32` → `FP32`; `timeout_action: REJECT` → `reject`. */
  readonly values: ReadonlyMap<string, string>;
}

let known: Terms | undefined;

const collectTerms = (): Terms => {
  const fields = new Map<string, string>();
  const messages = new Set<string>();
  const values = new Map<string, string>();
  const seen = new Set<MessageSchema>();
  const addValue = (field: string, value: ValueSchema): void => {
    if (value.kind === "message") return addMessage(value.message);
    if (value.kind !== "enum") return;
    const identifiers = [...value.numbers.keys()];
    const prefix = commonPrefix(identifiers);
    for (const identifier of identifiers) {
      const isType = value.name === "DataType";
      const shown = isType
        ? (dtypeOfConfigName(identifier) ?? identifier.replace(/^TYPE_/, ""))
        : identifier.slice(prefix.length).toLowerCase();
      values.set(`${field}: ${identifier}`, shown);
      if (prefix !== "") values.set(identifier, isType ? shown : `"${shown}"`);
    }
  };
  const addField = ({ name, value }: FieldSchema): void => {
    // The steps of an ensemble are the calls in its `run`.
    if (name === "step") return;
    if (!unset.has(name)) fields.set(name, optionName(name));
    if (value.kind === "message") messages.add(name);
    addValue(name, value);
  };
  const addMessage = (message: MessageSchema): void => {
    if (seen.has(message)) return;
    seen.add(message);
    for (const field of message.fields.values()) addField(field);
  };
  addMessage(modelConfigSchema);
  return { fields, messages, values };
};

/**
 * Fields that only the compiler writes, which have no option, and `string_value`, which Python code reads under that
 * name.
 */
const unset: ReadonlySet<string> = new Set(["default_model_filename", "ensemble_scheduling", "string_value"]);
