import { decodeUtf8 } from "@tritype/core";
import type { ModelContext } from "../model-context.ts";
import { servedVersions } from "../onnx-rules/served-versions.ts";
import { folderOf } from "../python/model-py.ts";

/** What a `tokenizer.json` says of the ids that it makes. */
export interface TokenizerFacts {
  /** For messages. */
  readonly file: string;
  /** The largest id that a text can give, and its token. */
  readonly largest: { readonly id: number; readonly token: string };
  readonly padId: number | undefined;
  /** Of its truncation. */
  readonly maxLength: number | undefined;
}

/** The tokenizer beside the model file of the newest version that the server loads; undefined when there is none or several formats are possible. */
export const tokenizerOf = (model: ModelContext): TokenizerFacts | undefined => {
  const version = servedVersions(model).at(-1);
  if (version === undefined || model.options.configsOnly === true) return undefined;
  const path = `${version}/tokenizer.json`;
  const bytes = model.read(path, sizeLimit + 1);
  if (bytes === undefined || bytes.length > sizeLimit) return undefined;
  try {
    return factsOf(JSON.parse(decodeUtf8(bytes)), `${folderOf(model)}/${path}`);
  } catch {
    return undefined;
  }
};

const sizeLimit = 64 * 2 ** 20;

const factsOf = (json: unknown, file: string): TokenizerFacts | undefined => {
  if (!isObject(json) || !isObject(json["model"])) return undefined;
  let largest = { id: -1, token: "" };
  const add = (token: unknown, id: unknown): void => {
    if (typeof token === "string" && typeof id === "number" && id > largest.id) largest = { id, token };
  };
  const { vocab } = json["model"];
  if (Array.isArray(vocab))
    for (const [id, entry] of vocab.entries()) add(Array.isArray(entry) ? entry[0] : undefined, id);
  else if (isObject(vocab)) for (const [token, id] of Object.entries(vocab)) add(token, id);
  else return undefined;
  const added = json["added_tokens"];
  if (Array.isArray(added))
    for (const token of added) if (isObject(token)) add(token["content"], token["id"]);
  return {
    file,
    largest,
    padId: numberIn(json["padding"], "pad_id"),
    maxLength: numberIn(json["truncation"], "max_length"),
  };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const numberIn = (value: unknown, key: string): number | undefined => {
  const number = isObject(value) ? value[key] : undefined;
  return typeof number === "number" ? number : undefined;
};
