import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pooledExport } from "./pooled-export.mjs";

const folderOf = (twin) => join(import.meta.dirname, twin);

/** Files of a twin that people wrote, by path, with their text. */
export const writtenFiles = (twin) =>
  Object.fromEntries(
    readdirSync(folderOf(twin), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folderOf(twin).length + 1), readFileSync(path, "utf8")];
      }),
  );

/**
 * Puts a twin's models into a repository: what people wrote, and beside it the encoder and the tokenizer of a deployment.
 * @param files `encoder`: path of the ONNX file; `tokenizer`: path of the tokenizer.json; `size`: numbers per vector, as the encoder
 * has them; `python`: one with numpy, for the script that makes warmup files.
 */
export const assembleTwin = (twin, repository, files) => {
  cpSync(join(folderOf(twin), "model_repository"), repository, { recursive: true });
  for (const model of models[twin]) {
    const config = join(repository, model, "config.pbtxt");
    writeFileSync(config, readFileSync(config, "utf8").replaceAll(/\b128\b/g, String(files.size)));
    mkdirSync(join(repository, model, "1"), { recursive: true });
  }
  finish[twin](repository, files);
};

const models = {
  e5: ["e5_tokenizer", "e5_encoder", "e5_pooling", "e5"],
  biolinkbert: ["tokenizer", "embedding_model", "ensemble_model"],
};

const finish = {
  e5: (repository, { encoder, tokenizer, python }) => {
    cpSync(encoder, join(repository, "e5_encoder", "1", "model.onnx"));
    cpSync(tokenizer, join(repository, "e5_tokenizer", "1", "tokenizer.json"));
    execFileSync(python, [join(folderOf("e5"), "prepare_warmup.py"), repository]);
  },
  biolinkbert: (repository, { encoder, tokenizer }) => {
    const exported = pooledExport(new Uint8Array(readFileSync(encoder)));
    writeFileSync(join(repository, "embedding_model", "1", "bio-bert-embedder.onnx"), exported);
    cpSync(tokenizer, join(repository, "tokenizer", "1", "tokenizer.json"));
  },
};
