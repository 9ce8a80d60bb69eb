import { modelPathOf } from "./model-paths.ts";
import type { ReadModelPy } from "./model-py.ts";
import { callsIn } from "../values.ts";
import { dottedName } from "../walk.ts";

/** The location in the model's folder from which a `model.py` loads its tokenizer. */
export interface TokenizerSource {
  /** "" for the model's own folder. */
  readonly folder: string;
  /** The path of its `tokenizer.json`. */
  readonly file: string;
}

/** "unknown" if the location is unclear or there are several; undefined if the file does not load a known tokenizer. */
export const tokenizerSource = (file: ReadModelPy): TokenizerSource | "unknown" | undefined => {
  const sources = callsIn(file.module.body).flatMap(
    ({ callee, args }): readonly (TokenizerSource | "unknown")[] => {
      const name = dottedName(callee) ?? "";
      const [first] = args;
      if (!loaders.test(name) || first === undefined) return [];
      const path = first.star === "" && first.name === undefined ? modelPathOf(first.value, file) : undefined;
      if (path === undefined) return ["unknown"];
      const isFile = name.endsWith("from_file");
      return [
        isFile
          ? { folder: path.split("/").slice(0, -1).join("/"), file: path }
          : { folder: path, file: path === "" ? "tokenizer.json" : `${path}/tokenizer.json` },
      ];
    },
  );
  return sources.length > 1 ? "unknown" : sources[0];
};

const loaders =
  /(?:^|\.)(?:\w+Tokenizer(?:Fast)?\.from_pretrained|Tokenizer\.from_file|Tokenizer\.from_pretrained)$/;
