// @ts-nocheck
import { custom, defineEnsemble, fp32 } from "tritype";

const forest = custom({
  name: "forest",
  backend: "own",
  file: "models/double.pt",
  files: {
    "data/Words.txt": "steps/words.txt",
    "Data/more.txt": "steps/words.txt",
    "Data/words.txt": "steps/words.txt",
  },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => forest({ x }),
});
