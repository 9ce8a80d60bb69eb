import { posix } from "node:path";
import type { SourceFile } from "./model-source.ts";

/** The files that define how text becomes ids, and how long it may be. */
export interface TokenizerFiles {
  readonly tokenizer: SourceFile | undefined;
  /** `tokenizer_config.json`, `chat_template.jinja`, `config.json` and `sentence_bert_config.json`, if they exist. */
  readonly settings: readonly SourceFile[];
}

/** For each name, the file next to the model file, otherwise the nearest one in a parent folder. */
export const tokenizerFiles = (files: readonly SourceFile[], model: string): TokenizerFiles => {
  const nearest = (name: string): SourceFile | undefined => {
    for (let folder = posix.dirname(model); ; folder = posix.dirname(folder)) {
      const path = posix.join(folder, name);
      const found = files.find((file) => file.path === path);
      if (found !== undefined || folder === ".") return found;
    }
  };
  return {
    tokenizer: nearest("tokenizer.json"),
    settings: settingNames.flatMap((name) => nearest(name) ?? []),
  };
};

const settingNames = [
  "tokenizer_config.json",
  "chat_template.jinja",
  "config.json",
  "sentence_bert_config.json",
];
