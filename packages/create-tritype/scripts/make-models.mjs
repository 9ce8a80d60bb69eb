// Creates the models of both templates from the encoder of examples/sentence-embedding: node scripts/make-models.mjs
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tensorOf, typedArrayOf } from "@tritype/core";
import { buildModel, decodeModel } from "@tritype/onnx";
import { Tokenizer } from "tokenizers";
import { argmax, scoresOf, trainLinear } from "./linear-classifier.mjs";
import { heldBack, training } from "./messages.mjs";

const embeddingSize = 64;
const options = { classes: Object.keys(training).length, decay: 0.1, steps: 600, rate: 0.2 };

const templates = fileURLToPath(new URL("../templates/", import.meta.url));
const source = fileURLToPath(new URL("../../../examples/sentence-embedding/assets/", import.meta.url));
const tokenizerFile = join(source, "tokenizer", "tokenizer.json");

const write = (path, bytes) => {
  mkdirSync(dirname(join(templates, path)), { recursive: true });
  writeFileSync(join(templates, path), bytes);
  console.log(`${path}: ${bytes.length} bytes`);
};

/** The table of token vectors: int8 with one scale. */
const readTable = () => {
  const { graph } = decodeModel(readFileSync(join(source, "static", "model.onnx")));
  const named = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const { dims, rawData } = named.get("constant");
  const [tokens, size] = dims.map(Number);
  const values = new Int8Array(rawData.buffer, rawData.byteOffset, rawData.byteLength);
  const [scale] = typedArrayOf({ dtype: "FP32", shape: [1], data: named.get("constant_1").rawData });
  return { tokens, size, scale, values };
};

const ids = { dtype: "INT64", dims: ["batch", "seq"] };
const inputs = [
  { name: "input_ids", type: ids },
  { name: "attention_mask", type: ids },
];

/** The nodes that multiply each token's vector by the mask. */
const masked = (b, vectors) => {
  const [floats] = b.node("Cast", ["attention_mask"], { to: { int: 1 } });
  const [column] = b.node("Unsqueeze", [floats, b.constant(tensorOf("INT64", [1], [-1]))]);
  return b.node("Mul", [vectors, column])[0];
};

/** The leading dims of the source's table: those with the largest variance. */
const encoder = ({ tokens, size, scale, values }) => {
  const data = new Uint8Array(tokens * embeddingSize);
  for (let token = 0; token < tokens; token++)
    for (let i = 0; i < embeddingSize; i++) data[token * embeddingSize + i] = values[token * size + i];
  const type = { dtype: "FP32", dims: ["batch", "seq", embeddingSize] };
  return buildModel({ name: "encoder", inputs, outputs: [{ name: "last_hidden_state", type }] }, (b) => {
    const rows = b.constant({ dtype: "INT8", shape: [tokens, embeddingSize], data });
    const [looked] = b.node("Gather", [rows, "input_ids"], { axis: { int: 0 } });
    const scalar = (dtype, value) => b.constant(tensorOf(dtype, [], [value]));
    const [vectors] = b.node("DequantizeLinear", [looked, scalar("FP32", scale), scalar("INT8", 0)]);
    return { last_hidden_state: masked(b, vectors) };
  });
};

/**
 * The mean and the linear layer commute: every token gets its scores, whose mean over a text is the score of the text.
 */
const classifier = ({ tokens, size, scale, values }, model) => {
  const scores = [];
  for (let token = 0; token < tokens; token++) {
    const row = Array.from(values.subarray(token * size, (token + 1) * size), (x) => x * scale);
    scores.push(...scoresOf(model, row));
  }
  const type = { dtype: "FP32", dims: ["batch", "seq", options.classes] };
  return buildModel({ name: "classifier", inputs, outputs: [{ name: "scores", type }] }, (b) => {
    const table = b.constant(tensorOf("FP16", [tokens, options.classes], scores));
    const [looked] = b.node("Gather", [table, "input_ids"], { axis: { int: 0 } });
    return { scores: masked(b, b.node("Cast", [looked], { to: { int: 1 } })[0]) };
  });
};

const table = readTable();
const tokenizer = Tokenizer.fromFile(tokenizerFile);
tokenizer.disablePadding();

/** The mean of a text's token vectors. */
const featuresOf = async (text) => {
  const tokens = (await tokenizer.encode(text)).getIds();
  const mean = Array.from({ length: table.size }, () => 0);
  for (const id of tokens)
    for (let i = 0; i < table.size; i++)
      mean[i] += (table.values[id * table.size + i] * table.scale) / tokens.length;
  return mean;
};
const read = async (messages) =>
  (
    await Promise.all(
      Object.values(messages).map((texts, label) =>
        Promise.all(texts.map(async (text) => ({ text, label, row: await featuresOf(text) }))),
      ),
    )
  ).flat();
const train = (examples) =>
  trainLinear(
    examples.map(({ row }) => row),
    examples.map(({ label }) => label),
    options,
  );
const rightOf = (model, examples) =>
  examples.filter(({ row, label }) => argmax(scoresOf(model, row)) === label).length;

const examples = await read(training);
const folds = [0, 1, 2, 3].map((fold) => {
  const isIn = (_, index) => index % 4 === fold;
  return rightOf(train(examples.filter((e, i) => !isIn(e, i))), examples.filter(isIn));
});
const model = train(examples);
const unseen = await read(heldBack);
console.log(`four-fold on the training messages: ${folds.reduce((a, b) => a + b, 0)}/${examples.length}`);
console.log(`held out: ${rightOf(model, unseen)}/${unseen.length}`);

write("embedding/assets/encoder/model.onnx", encoder(table));
write("classification/assets/classifier/model.onnx", classifier(table, model));
mkdirSync(join(templates, "common", "assets", "tokenizer"), { recursive: true });
copyFileSync(tokenizerFile, join(templates, "common", "assets", "tokenizer", "tokenizer.json"));
