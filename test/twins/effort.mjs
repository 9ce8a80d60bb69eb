import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writtenFiles } from "./assemble.mjs";

const exampleFile = (path) =>
  readFileSync(fileURLToPath(new URL(`../../examples/${path}`, import.meta.url)), "utf8");

/** All files written with Tritype for the same deployment; the first deployment has one more ensemble, `embed`. */
const ours = {
  e5: ["pipeline.ts", "retrieval.ts", "tensorrt.ts", "pipeline.config.ts", "models/static.ts"].map(
    (file) => `sentence-embedding/${file}`,
  ),
  biolinkbert: ["pipeline.ts", "pipeline.config.ts", "models/stand-in.ts"].map(
    (file) => `biolinkbert-embedding/${file}`,
  ),
  sentiment: ["pipeline.ts", "recipe.ts", "recipe.json", "models/classifier.ts", "pipeline.config.ts"].map(
    (file) => `sentiment-tensorrt/${file}`,
  ),
  roberta: ["pipeline.ts", "pipeline.config.ts", "models/stand-in.ts", "clients/classify.py"].map(
    (file) => `roberta-sentiment-torchscript/${file}`,
  ),
  m2m100: ["pipeline.ts", "pipeline.config.ts", "models/number-words.ts", "clients/translate.py"].map(
    (file) => `m2m100-translation/${file}`,
  ),
};

const effortOf = (texts) => ({
  files: texts.length,
  lines: texts.reduce((sum, text) => sum + text.split("\n").filter((line) => line.trim() !== "").length, 0),
});

/** The numbers of files and of non-blank lines, written by hand and with Tritype. */
export const effort = (twin) => ({
  hand: effortOf(Object.values(writtenFiles(twin))),
  ours: effortOf(ours[twin].map(exampleFile)),
});
