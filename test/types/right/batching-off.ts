import { batchStep, bytes, detokenizer, flow, generate, step, tokenizer } from "tritype";

/** The advice of `pipeline check` for a batcher without effect: every step accepts it. */
const off = { dynamicBatching: null } as const;
const text = bytes("batch", 1);

const trim = step({
  ...off,
  name: "trim",
  inputs: { text },
  outputs: { text },
  run: ({ text }) => ({ text: text.trim() }),
});
export const steps = [
  trim,
  batchStep({ ...off, name: "same", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text }) }),
  tokenizer({ ...off, name: "tokenize", from: "assets/tokenizer", maxLength: 8 }),
  detokenizer({ ...off, name: "spell", from: "assets/tokenizer" }),
  generate({ ...off, name: "write", from: "models/chat", maxNewTokens: 4 }),
  flow({
    ...off,
    name: "ask",
    inputs: { text },
    outputs: { text },
    uses: { trim },
    run: ({ text }, { trim }) => trim({ text }),
  }),
];
