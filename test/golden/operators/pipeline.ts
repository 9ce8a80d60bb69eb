import { bytes, constant, defineEnsemble, einsum, fp32, int32, int64 } from "tritype";

/** Tensor math over rows: normalization, attention scores, label tables, and integer types for which only some ONNX Runtimes have kernels. */
export const operators = defineEnsemble({
  name: "operators",
  maxBatchSize: 4,
  inputs: { hidden: fp32("batch", "seq", 4), kind: bytes("batch", 1), code: int32("batch", "n") },
  run({ hidden, kind, code }) {
    const scale = constant(fp32, [1, 2, 1, 2], 4);
    const normal = hidden.layerNorm(-1, { scale, bias: constant(fp32, 0.5, 4) }).gelu();
    const [first, rest] = normal.split(-1, [1, 3]);
    const scores = einsum("bqd,bkd->bqk", normal, normal);
    const remainder = code.mod(3);
    return {
      energy: scores.logSumExp(-1).sub(first.squeeze(-1).erf()),
      padded: rest.pad("seq", 1, 1, { mode: "edge" }).tile(-1, 2).round(),
      best: scores.topK(1, -1).indices,
      weight: kind.labelEncode(fp32, { keys: ["query", "passage"], values: [1, 0.5], otherwise: 0 }),
      name: code.labelEncode(bytes, { keys: [7, -7], values: ["seven", "minus seven"], otherwise: "" }),
      hot: remainder.abs().oneHot(3, -1, int32),
      odd: remainder.ne(0).xor(code.sign().eq(-1)),
      least: code.cast(int64).argmin(-1, { keepDims: true }),
    };
  },
});
