import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tensorOf, valuesOf } from "@tritype/core";

const goldens = fileURLToPath(
  new URL("../../examples/m2m100-translation/test/goldens.json", import.meta.url),
);
const { tokens, cases } = JSON.parse(readFileSync(goldens, "utf8"));

/** Ids with a special meaning to the model. */
export const special = tokens;

/** 30 numbers in words, 4 to 13 tokens; `expected` is the answer of transformers with greedy search. */
export const translations = cases
  .find(({ name }) => name === "greedy")
  .rows.map(({ input_ids: prompt, forced_bos_token_id: language, sequences: [best] }) => ({
    prompt,
    language,
    expected: best.tokens,
  }));

/** A request with these rows, padded to the longest one. @param limits Parameters of every row, by name. */
export const tensorsOf = (rows, limits = {}) => {
  const width = Math.max(...rows.map(({ prompt }) => prompt.length));
  const padded = (one, filler) => [...one, ...Array(width - one.length).fill(filler)];
  const column = (values) => tensorOf("INT64", [rows.length, 1], values);
  const block = (lines) => tensorOf("INT64", [rows.length, width], lines.flat());
  return new Map([
    ["input_ids", block(rows.map(({ prompt }) => padded(prompt, special.pad_token_id)))],
    ["attention_mask", block(rows.map(({ prompt }) => padded(Array(prompt.length).fill(1), 0)))],
    ["forced_bos_token_id", column(rows.map(({ language }) => language))],
    ...Object.entries(limits).map(([name, value]) => [name, column(rows.map(() => value))]),
  ]);
};

/** The new tokens of each row, without padding. */
export const tokensOf = (sequences) => {
  const [count, width] = sequences.shape;
  const ids = valuesOf(sequences).map(Number);
  return Array.from({ length: count }, (_, row) =>
    ids.slice(row * width, (row + 1) * width).filter((id) => id !== special.pad_token_id),
  );
};
