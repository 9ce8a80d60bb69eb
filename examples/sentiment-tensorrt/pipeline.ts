import { bytes, defineEnsemble, fp32, json, step, tensorrt, tokenizer, where } from "tritype";
import { classifier } from "./models/classifier.ts";
import { recipe } from "./recipe.ts";

const { maxTokens, padToMultipleOf, labels, unsure } = recipe;

/** "sooooo good!!!!" → "soo good!!": no letter, `!` or `?` occurs more than twice in a row. */
const shorten = (text: string): string => {
  let kept = "";
  let repeated = 0;
  for (const character of text) {
    repeated = kept.endsWith(character) ? repeated + 1 : 0;
    if (repeated < 2 || !/[a-z!?]/i.test(character)) kept += character;
  }
  return kept;
};

/** Removes the parts of posts that carry no sentiment: tags, addresses, names, letters that are repeated many times. */
export const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run({ text }) {
    const bare = text
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/https?:\/\/\S+/g, " ")
      .replaceAll(/@\w+/g, " ")
      .replaceAll(/\s+/g, " ");
    if (bare.trim() === "") throw new RangeError("no text is left after cleaning");
    return { text: shorten(bare.trim()) };
  },
});

export const tokenize = tokenizer({
  name: "tokenize",
  from: classifier.tokenizer,
  prefix: recipe.taskPrefix,
  maxLength: maxTokens,
  truncation: recipe.tooLong === "cut",
  padding: { multipleOf: padToMultipleOf },
});

export const classify = tensorrt({
  name: "classify",
  build: {
    onnx: classifier.onnx,
    precision: "fp16",
    sizes: { seq: { min: padToMultipleOf, opt: Math.min(4 * padToMultipleOf, maxTokens), max: maxTokens } },
  },
  inputs: classifier.inputs,
  outputs: classifier.outputs,
  profiles: {
    cpu: { useStandIn: true },
  },
});

export interface Verdict {
  readonly label: string;
  /** Score of the best label, from 0 to 1. */
  readonly score: number;
}

const toJson = step({
  name: "to_json",
  inputs: { label: bytes("batch", 1), score: fp32("batch", 1) },
  outputs: { verdict: json<Verdict>() },
  run: ({ label, score }) => ({ verdict: { label, score } }),
});

/** Text → its label, the label's score, the score of every label, and label and score as JSON. */
export const sentiment = defineEnsemble({
  name: recipe.name,
  maxBatchSize: recipe.maxBatchSize,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize(clean({ text }));
    const { logits } = classify({ input_ids, attention_mask });
    const scores = logits.softmax(1);
    const score = scores.max(1, { keepDims: true });
    const best = scores.argmax(1, { keepDims: true });
    const label = where(score.ge(unsure.below), best, -1).labelEncode(bytes, {
      keys: labels.map((_, index) => index),
      values: labels,
      otherwise: unsure.label,
    });
    return { label, score, scores, verdict: toJson({ label, score }).verdict };
  },
  warmup: [
    { name: "short", inputs: { text: ["I like it"] } },
    { name: "typical", inputs: { text: ["The room was clean, but the breakfast was cold."] }, batchSize: 8 },
  ],
});
