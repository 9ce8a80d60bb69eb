import { bool, bytes, defineEnsemble, fp32, python } from "tritype";

/** A folder with model.py and its imports. The words are in another folder of the project. */
const flag = python({
  name: "flag",
  folder: "steps/flag",
  files: { "words.txt": "assets/blocked.txt" },
  inputs: { text: bytes("batch", 1) },
  outputs: { share: fp32("batch", 1), flagged: bool("batch", 1) },
  parameters: { threshold: 0.25 },
  requirements: ["regex==2024.11.6"],
});

/** A single file with any name. */
const reverse = python({
  name: "reverse",
  file: "steps/reverse.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { reversed: bytes("batch", 1) },
});

export const moderate = defineEnsemble({
  name: "moderate",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { share, flagged } = flag({ text });
    const { reversed } = reverse({ text });
    return { percent: share.mul(100), flagged, reversed };
  },
});
