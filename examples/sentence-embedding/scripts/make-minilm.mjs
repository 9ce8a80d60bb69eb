// Creates the full all-MiniLM-L6-v2 encoder: node scripts/make-minilm.mjs [--out FOLDER] [--cache FOLDER]
// --out    gets model.onnx and tokenizer.json; default .cache/minilm of the example
// --cache  keeps the download; default TRITYPE_CACHE, otherwise .cache of the example
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bertEncoder } from "./bert-encoder.mjs";
import { cosine, newEmbedder, unit } from "./embedder.mjs";
import { minilmSource, sha256 } from "./minilm-source.mjs";
import { readSafetensors } from "./safetensors.mjs";

const example = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string" }, cache: { type: "string" } } });
const cache = values.cache ?? process.env.TRITYPE_CACHE ?? join(example, ".cache");
const out = values.out ?? join(example, ".cache", "minilm");
const model = join(out, "model.onnx");
const tokenizer = join(out, "tokenizer.json");

/** The documentation of Sentence Transformers, "Semantic Textual Similarity", prints these values for this model. */
const published = {
  texts: ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."],
  similarities: [
    [0, 1, 0.666],
    [0, 2, 0.1046],
    [1, 2, 0.1411],
  ],
};

const make = () => {
  const source = minilmSource(cache);
  mkdirSync(out, { recursive: true });
  const bytes = bertEncoder(readSafetensors(readFileSync(join(source, "model.safetensors"))));
  const unfinished = `${model}.${process.pid}`;
  writeFileSync(unfinished, bytes);
  copyFileSync(join(source, "tokenizer.json"), tokenizer);
  renameSync(unfinished, model);
};

const check = async () => {
  const embedder = await newEmbedder(model, tokenizer);
  const vectors = await embedder.embed(published.texts);
  for (const [a, b, figure] of published.similarities) {
    const actual = cosine(vectors[a], vectors[b]);
    if (Math.abs(actual - figure) > 1e-4)
      throw new Error(
        `similarity of "${published.texts[a]}" and "${published.texts[b]}" is ${actual}, published ${figure}`,
      );
  }
  const rows = await embedder.tokenize(published.texts);
  const padded = (await embedder.embedIds(rows, 40)).map(unit);
  const drift = Math.max(...padded.flatMap((row, r) => [...row].map((x, i) => Math.abs(x - vectors[r][i]))));
  if (drift > 1e-5) throw new Error(`padding moves the vectors by ${drift}`);
  await embedder.close();
  console.log(`published similarities within 1e-4, padding moves vectors by ${drift.toExponential(1)}`);
};

make();
await check();
console.log(`${model}  sha256 ${sha256(model)}`);
