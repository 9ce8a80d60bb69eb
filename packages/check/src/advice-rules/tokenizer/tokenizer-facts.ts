import { byContent, isObject, type Label, parseObject } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { servedVersions } from "../../model/served-versions.ts";
import { classModelPys, folderOf } from "../../python/model-py/model-py.ts";
import { type TokenizerCall, tokenizerCalls } from "../../python/model-py/tokenizer-calls.ts";
import { type TokenizerSource, tokenizerSource } from "../../python/model-py/tokenizer-source.ts";
import { numberIn, readJson } from "../../model/json-file.ts";

/** Known facts about the ids that a Python model creates from texts. */
export interface TokenizerFacts {
  /** The `tokenizer.json`, for messages. */
  readonly file: string;
  /** Relative to the model's folder. */
  readonly folder: string;
  /** The largest id that a text can produce, and its token. */
  readonly largest: { readonly id: number; readonly token: string };
  readonly padId: number | undefined;
  /** The length to which texts are truncated; undefined if unknown. */
  readonly limit: TokenLimit | undefined;
}

interface TokenLimit {
  /** Infinity if texts are not truncated. */
  readonly tokens: number;
  /** The file that sets it, for messages. */
  readonly file: string;
  readonly labels: readonly Label[];
}

/** The tokenizer that the newest served version loads; undefined when there is none or the choice is ambiguous. */
export const tokenizerOf = (model: ModelContext): TokenizerFacts | undefined => {
  const version = servedVersions(model).at(-1);
  if (version === undefined || model.options.configsOnly === true) return undefined;
  const python = classModelPys(model).at(-1);
  const source = (python && tokenizerSource(python)) ?? {
    folder: version,
    file: `${version}/tokenizer.json`,
  };
  if (source === "unknown") return undefined;
  const bytes = model.read(source.file, sizeLimit + 1);
  const content = bytes === undefined || bytes.length > sizeLimit ? undefined : contentOf(bytes);
  if (content === undefined) return undefined;
  const calls = python === undefined ? [] : tokenizerCalls(python);
  return {
    file: `${folderOf(model)}/${source.file}`,
    folder: source.folder,
    largest: content.largest,
    padId: content.padId,
    limit: limitOf(model, source, content, calls, python?.path ?? ""),
  };
};

const sizeLimit = 64 * 2 ** 20;

type Json = Readonly<Record<string, unknown>>;

/** The parts of a `tokenizer.json` that the rules read. */
interface TokenizerContent extends Pick<TokenizerFacts, "largest" | "padId"> {
  readonly maxLength: number | undefined;
}

const contentOf = byContent((bytes): TokenizerContent | undefined => {
  const json = parseObject(bytes);
  const largest = json && largestOf(json);
  return (
    json &&
    largest && {
      largest,
      padId: numberIn(json["padding"], "pad_id"),
      maxLength: numberIn(json["truncation"], "max_length"),
    }
  );
});

const largestOf = (json: Json): TokenizerFacts["largest"] | undefined => {
  const { model } = json;
  if (!isObject(model)) return undefined;
  let largest = { id: -1, token: "" };
  const add = (token: unknown, id: unknown): void => {
    if (typeof token === "string" && typeof id === "number" && id > largest.id) largest = { id, token };
  };
  const { vocab } = model;
  if (Array.isArray(vocab))
    for (const [id, entry] of vocab.entries()) add(Array.isArray(entry) ? entry[0] : undefined, id);
  else if (isObject(vocab)) for (const token in vocab) add(token, vocab[token]);
  else return undefined;
  const added = json["added_tokens"];
  if (Array.isArray(added))
    for (const token of added) if (isObject(token)) add(token["content"], token["id"]);
  return largest;
};

const limitOf = (
  model: ModelContext,
  { file, folder }: TokenizerSource,
  { maxLength: own }: TokenizerContent,
  calls: readonly TokenizerCall[],
  path: string,
): TokenizerFacts["limit"] => {
  const inModel = (name: string): string => `${folderOf(model)}/${name}`;
  const saidBy = (name: string, tokens: number, text: string): TokenLimit => ({
    tokens,
    file: inModel(name),
    labels: [{ span: { file: inModel(name), line: 1, column: 1 }, text }],
  });
  const ofFile = own === undefined ? undefined : saidBy(file, own, "`truncation.max_length`");
  const [call, ...others] = calls;
  if (call === undefined) return ofFile;
  const { library, truncation, place } = call;
  if (others.some((other) => other.library !== library || other.truncation !== truncation)) return undefined;
  const byCall = (tokens: number): TokenLimit => ({ tokens, file: inModel(path), labels: [place] });
  if (truncation === "unknown") return undefined;
  if (truncation !== "file") return byCall(truncation === "none" ? Infinity : truncation);
  if (library === "tokenizers") return ofFile ?? byCall(Infinity);
  const name = folder === "" ? "tokenizer_config.json" : `${folder}/tokenizer_config.json`;
  const config = readJson(model, name);
  if (config === undefined) return undefined;
  const tokens = numberIn(config, "model_max_length");
  if (tokens !== undefined && tokens < unlimited) return saidBy(name, tokens, "`model_max_length`");
  const { file: says, labels } = saidBy(name, Infinity, "`model_max_length` is not a real limit");
  return { tokens: Infinity, file: says, labels: [place, ...labels] };
};

/** `transformers` writes 1e30 for "no limit". */
const unlimited = 1e9;
