import { attempt, isObject, type Label } from "@tritype/core";
import { decodeModel, type EmbeddingSizes, embeddingSizes as sizesOf, positionsBefore } from "@tritype/onnx";
import type { ModelContext } from "../../model-context.ts";
import { servedVersions } from "../../model/served-versions.ts";
import { folderOf } from "../../python/model-py/model-py.ts";
import { onnxBytes } from "../../model/onnx-file.ts";
import { numberIn, readJson } from "../../model/json-file.ts";

/** A size of a model, and its source. */
export interface TrainedSize {
  readonly size: number;
  readonly label: Label;
}

export interface TrainedSizes {
  /** The number of tokens that the model knows. */
  readonly tokens: TrainedSize | undefined;
  /** The number of tokens that a text may have. */
  readonly positions: TrainedSize | undefined;
}

/**
 * The sizes of the tables in a model's ONNX file, or otherwise those in the `config.json` from `transformers` next to the model
 * file or the tokenizer.
 * @param input The model's input for the ids
 */
export const trainedSizes = (
  model: ModelContext,
  input: string,
  tokenizer: { readonly model: ModelContext; readonly folder: string },
): TrainedSizes => {
  const tables = embeddingSizes(model);
  const version = servedVersions(model).at(-1);
  const own = version === undefined ? undefined : configAt(model, version);
  const config = own ?? configAt(tokenizer.model, tokenizer.folder);
  const index = (model.config.input ?? []).findIndex(({ name }) => name === input);
  const graph = (size: number | undefined, says: string): TrainedSize | undefined =>
    size === undefined
      ? undefined
      : { size, label: model.at(["input", Math.max(index, 0), "name"], `${says} ${size} rows`) };
  const positions = tables?.positions(config?.offset ?? 0);
  return {
    tokens: graph(tables?.tokens.get(input), "the id table has") ?? config?.tokens,
    positions: positions === undefined ? config?.positions : graph(positions, "the position table has"),
  };
};

/** Models with exactly one position per token, of which the first is 0. */
const fromZero: ReadonlySet<string> = new Set(["albert", "bert", "distilbert", "electra"]);

interface ModelJson {
  readonly offset: number;
  readonly tokens: TrainedSize | undefined;
  readonly positions: TrainedSize | undefined;
}

const configAt = (model: ModelContext, folder: string): ModelJson | undefined => {
  const path = folder === "" ? "config.json" : `${folder}/config.json`;
  const config = readJson(model, path);
  if (!isObject(config) || typeof config["model_type"] !== "string") return undefined;
  const span = { file: `${folderOf(model)}/${path}`, line: 1, column: 1 };
  const sized = (key: string, less: number): TrainedSize | undefined => {
    const size = numberIn(config, key);
    return size === undefined ? undefined : { size: size - less, label: { span, text: `\`${key}\`` } };
  };
  const offset = positionsBefore(config);
  const isLimit =
    (offset > 0 || fromZero.has(config["model_type"])) &&
    (config["position_embedding_type"] ?? "absolute") === "absolute";
  return {
    offset,
    tokens: sized("vocab_size", 0),
    positions: isLimit ? sized("max_position_embeddings", offset) : undefined,
  };
};

/** The sizes in the newest version's graph; undefined if no file can be read. */
const embeddingSizes = (model: ModelContext): EmbeddingSizes | undefined => {
  const version = servedVersions(model).at(-1);
  if (model.config.backend !== "onnxruntime" || version === undefined || model.options.configsOnly === true)
    return undefined;
  const bytes = onnxBytes(model, `${version}/${model.config.default_model_filename || "model.onnx"}`);
  if (bytes === undefined) return undefined;
  return attempt(() => sizesOf(decodeModel(bytes).graph ?? {}));
};
