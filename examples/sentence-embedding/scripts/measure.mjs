// Prints how well both models order the hand-written sentences: node scripts/measure.mjs [--minilm FOLDER]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transform } from "esbuild";
import { cosine, newEmbedder } from "./embedder.mjs";
import { gradedGroups } from "./graded-groups.mjs";

const example = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { minilm: { type: "string" } } });
const minilm = values.minilm ?? join(example, ".cache", "minilm");
const tokenizer = join(example, "assets", "tokenizer", "tokenizer.json");

/** Node 20 does not read TypeScript. */
const readPairs = async () => {
  const { code } = await transform(readFileSync(join(example, "test", "pairs.ts"), "utf8"), { loader: "ts" });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).pairs;
};
const triples = (await readPairs()).map(({ anchor, similar, unrelated }) => [anchor, similar, unrelated]);
const texts = [...new Set([...triples.flat(), ...gradedGroups.flat()])];
const gradedPairs = gradedGroups.flatMap(([sentence, paraphrase, related, other]) => [
  [sentence, paraphrase],
  [sentence, related],
  [sentence, other],
  [paraphrase, related],
]);

/** Cosine similarity of two texts according to a model. */
const similarityOf = async (model) => {
  const embedder = await newEmbedder(model, tokenizer);
  const vectors = new Map((await embedder.embed(texts)).map((vector, index) => [texts[index], vector]));
  await embedder.close();
  return (a, b) => cosine(vectors.get(a), vectors.get(b));
};

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
const pearson = (xs, ys) => {
  const [mx, my] = [mean(xs), mean(ys)];
  const products = (as, ma, bs, mb) => as.reduce((sum, a, i) => sum + (a - ma) * (bs[i] - mb), 0);
  return products(xs, mx, ys, my) / Math.sqrt(products(xs, mx, xs, mx) * products(ys, my, ys, my));
};
const figures = (similarity) => {
  const margins = triples
    .map(([anchor, similar, unrelated]) => similarity(anchor, similar) - similarity(anchor, unrelated))
    .toSorted((a, b) => a - b);
  const nearest = ([sentence, own]) =>
    gradedGroups.every(
      ([, other]) => other === own || similarity(sentence, own) > similarity(sentence, other),
    );
  const share = (holds) => gradedGroups.filter(holds).length / gradedGroups.length;
  return {
    "triples in order": `${margins.filter((margin) => margin > 0).length}/${margins.length}`,
    "smallest margin": margins[0].toFixed(3),
    "median margin": margins[Math.floor(margins.length / 2)].toFixed(3),
    "paraphrase > related": share(([a, p, r]) => similarity(a, p) > similarity(a, r)),
    "paraphrase nearest of 50": share(nearest),
  };
};

const full = await similarityOf(join(minilm, "model.onnx"));
const small = await similarityOf(join(example, "assets", "static", "model.onnx"));
console.table({ "all-MiniLM-L6-v2": figures(full), static: figures(small) });
const correlation = pearson(
  ...[full, small].map((similarity) => gradedPairs.map(([a, b]) => similarity(a, b))),
);
console.log(`Pearson of both models' cosines on ${gradedPairs.length} pairs: ${correlation.toFixed(3)}`);
