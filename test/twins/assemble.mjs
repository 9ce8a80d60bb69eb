import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { numberedExport } from "./numbered-export.mjs";
import { pooledExport } from "./pooled-export.mjs";

const folderOf = (twin) => join(import.meta.dirname, twin);

/** The hand-written files of a twin: path → text. */
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
 * Puts a twin's models into a repository: the hand-written files, with the model and the tokenizer of a deployment.
 * @param files `model`: path of the ONNX file, or of the export's folder for m2m100; `tokenizer`: path of
 * tokenizer.json; `size`: numbers per vector of an encoder (default 128); `python`: a Python with numpy, which runs
 * e5's script for warmup files; `torchscript`: path of the traced classifier, for roberta.
 */
export const assembleTwin = (twin, repository, files) => {
  cpSync(join(folderOf(twin), "model_repository"), repository, { recursive: true });
  for (const model of models[twin]) {
    const config = join(repository, model, "config.pbtxt");
    if (files.size !== undefined)
      writeFileSync(config, readFileSync(config, "utf8").replaceAll(/\b128\b/g, String(files.size)));
    mkdirSync(join(repository, model, "1"), { recursive: true });
  }
  finish[twin](repository, files);
};

const models = {
  e5: ["e5_tokenizer", "e5_encoder", "e5_pooling", "e5"],
  biolinkbert: ["tokenizer", "embedding_model", "ensemble_model"],
  sentiment: ["preprocessing", "model_trt", "postprocessing", "sentiment_analysis"],
  roberta: ["sentiment_tokenizer", "sentiment_classifier", "sentiment_labels", "sentiment_ensemble"],
  m2m100: ["m2m100_tokenizer", "m2m100_translation_model", "m2m100_detokenizer", "m2m100_ensemble"],
};

const finish = {
  e5: (repository, { model, tokenizer, python }) => {
    cpSync(model, join(repository, "e5_encoder", "1", "model.onnx"));
    cpSync(tokenizer, join(repository, "e5_tokenizer", "1", "tokenizer.json"));
    execFileSync(python, [join(folderOf("e5"), "prepare_warmup.py"), repository]);
  },
  biolinkbert: (repository, { model, tokenizer }) => {
    const exported = pooledExport(new Uint8Array(readFileSync(model)));
    writeFileSync(join(repository, "embedding_model", "1", "bio-bert-embedder.onnx"), exported);
    cpSync(tokenizer, join(repository, "tokenizer", "1", "tokenizer.json"));
  },
  sentiment: (repository, { model, tokenizer }) => {
    const version = join(repository, "model_trt", "1");
    cpSync(model, join(version, "model.onnx"));
    // build_plan.sh writes it on a machine with a GPU; the profile `cpu` does not open it.
    writeFileSync(join(version, "model.plan"), "");
    cpSync(tokenizer, join(repository, "preprocessing", "1", "tokenizer.json"));
  },
  roberta: (repository, { model, torchscript, tokenizer }) => {
    const version = join(repository, "sentiment_classifier", "1");
    writeFileSync(join(version, "model.onnx"), numberedExport(new Uint8Array(readFileSync(model))));
    cpSync(torchscript, join(version, "model.pt"));
    cpSync(tokenizer, join(repository, "sentiment_tokenizer", "1", "tokenizer.json"));
  },
  m2m100: (repository, { model, tokenizer }) => {
    const folder = join(repository, "m2m100_translation_model", "1", "m2m100");
    mkdirSync(folder);
    for (const file of ["config.json", "encoder_model.onnx", "decoder_model_merged.onnx"])
      cpSync(join(model, file), join(folder, file));
    for (const side of ["m2m100_tokenizer", "m2m100_detokenizer"])
      cpSync(tokenizer, join(repository, side, "1", "tokenizer.json"));
  },
};
