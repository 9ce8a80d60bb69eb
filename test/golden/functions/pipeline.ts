import { batchStep, bytes, defineEnsemble, fp32, int64, json, step } from "tritype";
import { labels, rounded } from "./labels.ts";

interface Answer {
  readonly label: string;
  readonly score: number;
}

/** A function of texts. */
const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1), words: int64("batch", 1) },
  run({ text }) {
    const short = text.trim().replaceAll("\n", " ");
    // An empty text has no words.
    if (short === "") throw new RangeError("the text is empty");
    return { text: short.toLowerCase(), words: BigInt(short.split(" ").length) };
  },
});

/** A function that uses other modules of the project and returns JSON. */
const answer = step({
  name: "answer",
  inputs: { label: bytes("batch", 1), score: fp32("batch", 1) },
  outputs: { answer: json<Answer>() },
  run: ({ label, score }) => ({
    answer: { label: labels.get(label) ?? "unknown", score: rounded(score) },
  }),
  timeLimit: "500ms",
});

/** A function of all rows of a request. */
const numbered = batchStep({
  name: "numbered",
  inputs: { text: bytes("batch", 1) },
  outputs: { line: bytes("batch", 1) },
  run({ text }) {
    const { data, shape } = text;
    return { line: { data: data.map((line, row) => `${row + 1}/${data.length} ${line}`), shape } };
  },
});

export const classify = defineEnsemble({
  name: "classify",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), label: bytes("batch", 1), score: fp32("batch", 1) },
  run({ text, label, score }) {
    const cleaned = clean({ text });
    return {
      cleaned: cleaned.text,
      words: cleaned.words,
      answer: answer({ label, score }).answer,
      line: numbered({ text }).line,
    };
  },
});
