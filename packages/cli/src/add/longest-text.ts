import { posix } from "node:path";
import { parseObject } from "@tritype/core";
import { positionsBefore } from "@tritype/onnx";

/** The maximum number of tokens of a model, and the files that state it. */
export interface LongestText {
  readonly tokens: number;
  /** The files that state this number. */
  readonly saidBy: string;
}

/** Tokenizers without a limit have a huge number, such as 1e30. */
const unlimited = 1_000_000;

/** The smallest limit in a model's files, which are passed by name; undefined if no file states one. */
export const longestText = (files: ReadonlyMap<string, Uint8Array>): LongestText | undefined => {
  const said = [...files].flatMap(([path, content]) => {
    const name = posix.basename(path);
    const tokens = readers[name]?.(parseObject(content) ?? {});
    return typeof tokens === "number" && Number.isInteger(tokens) && tokens > 0 && tokens < unlimited
      ? [{ tokens, name }]
      : [];
  });
  if (said.length === 0) return undefined;
  const tokens = Math.min(...said.map((one) => one.tokens));
  return {
    tokens,
    saidBy: said
      .filter((one) => one.tokens === tokens)
      .map(({ name }) => name)
      .join(", "),
  };
};

type Json = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (json: Json) => unknown>> = {
  "tokenizer_config.json": (json) => json["model_max_length"],
  "sentence_bert_config.json": (json) => json["max_seq_length"],
  "config.json": (json) => {
    const most = json["max_position_embeddings"];
    return typeof most === "number" ? most - positionsBefore(json) : json["n_positions"];
  },
};
