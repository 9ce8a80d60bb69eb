import { bytes, defineEnsemble, fp32, int64, lookup, meanPool, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/words", maxLength: 16, padding: "maxLength" });

const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
  fuse: true,
});

/** The hidden state is both an output and the input of a mean, which becomes part of the encoder's model. */
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 16,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const tokens = tokenize({ text });
    const { last_hidden_state } = encoder(tokens);
    return { last_hidden_state, embedding: meanPool(last_hidden_state, tokens.attention_mask) };
  },
  members: { instanceGroup: [{ kind: "cpu", count: 2 }], dynamicBatching: {} },
  responseCache: { enable: true },
  parameters: { owner: "search" },
});

/** An ensemble is a step: `embed` runs twice. */
export const similarity = defineEnsemble({
  name: "similarity",
  maxBatchSize: 16,
  inputs: { left: bytes("batch", 1), right: bytes("batch", 1) },
  run({ left, right }) {
    const a = embed({ text: left }).embedding;
    const b = embed({ text: right }).embedding;
    const norms = a.mul(a).sum(-1).sqrt().mul(b.mul(b).sum(-1).sqrt());
    const cosine = a.mul(b).sum(-1).div(norms.clip(1e-9, Infinity)).unsqueeze(-1);
    return { cosine, verdict: lookup(cosine.gt(0.5).cast(int64), ["different", "similar"]) };
  },
});
