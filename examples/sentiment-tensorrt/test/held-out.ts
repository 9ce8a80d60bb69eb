import { readFileSync } from "node:fs";
import { recipe } from "../recipe.ts";
import type { Answer } from "./built-example.ts";

/** A sentence and its label. */
export interface Labelled {
  readonly label: string;
  readonly text: string;
}

const read = (file: string): readonly Labelled[] =>
  readFileSync(new URL(`../data/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [label = "", text = ""] = line.split("\t");
      return { label, text };
    });

/** 200 sentences on which no model was trained: written before the first training and unchanged since. */
export const heldOut: readonly Labelled[] = read("held-out.tsv");

export const training: readonly Labelled[] = read("training.tsv");

/** The answers to all sentences, in requests of the largest batch. */
export const inBatches = async (
  sentences: readonly Labelled[],
  answer: (texts: readonly string[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = [];
  for (let start = 0; start < sentences.length; start += recipe.maxBatchSize)
    answers.push(
      ...(await answer(sentences.slice(start, start + recipe.maxBatchSize).map(({ text }) => text))),
    );
  return answers;
};
