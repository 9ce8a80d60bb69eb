// Creates assets/static/model.onnx from the full model: node scripts/distill.mjs [--minilm FOLDER] [--out FOLDER]
// --minilm  the output of make-minilm.mjs; default .cache/minilm of the example
// --out     gets static/model.onnx and tokenizer/tokenizer.json; default assets of the example
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { newEmbedder } from "./embedder.mjs";
import { sha256 } from "./minilm-source.mjs";
import { staticEncoder } from "./static-encoder.mjs";
import { staticTable } from "./static-table.mjs";

const size = 128;
const rowsPerRun = 512;
const example = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { minilm: { type: "string" }, out: { type: "string" } } });
const minilm = values.minilm ?? join(example, ".cache", "minilm");
const out = values.out ?? join(example, "assets");

const teacher = await newEmbedder(join(minilm, "model.onnx"), join(minilm, "tokenizer.json"));
const { tokenizer } = teacher;
const tokens = Array.from({ length: tokenizer.getVocabSize(true) }, (_, id) => tokenizer.idToToken(id));
const [start, end] = [tokenizer.tokenToId("[CLS]"), tokenizer.tokenToId("[SEP]")];
const vectors = [];
for (let first = 0; first < tokens.length; first += rowsPerRun) {
  const ids = tokens.slice(first, first + rowsPerRun).map((_, index) => first + index);
  vectors.push(...(await teacher.embedIds(ids.map((id) => [start, id, end]))));
}
await teacher.close();

const model = join(out, "static", "model.onnx");
mkdirSync(join(out, "static"), { recursive: true });
mkdirSync(join(out, "tokenizer"), { recursive: true });
writeFileSync(model, staticEncoder(staticTable(vectors, tokens, size)));
copyFileSync(join(minilm, "tokenizer.json"), join(out, "tokenizer", "tokenizer.json"));
console.log(`${model}  sha256 ${sha256(model)}`);
