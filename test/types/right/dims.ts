import {
  bool,
  bytes,
  concat,
  constant,
  defineEnsemble,
  einsum,
  fp16,
  fp32,
  int32,
  int64,
  lookup,
  onnx,
  type TensorType,
  tokenizer,
  where,
} from "tritype";
import type { AllTrue, Equal } from "../equal.ts";

const encoder = onnx({
  name: "encoder",
  file: "encoder.onnx",
  inputs: { input_ids: int64("batch", "tokens"), attention_mask: int64("batch", "tokens") },
  outputs: { hidden: fp32("batch", "tokens", 384), layers: fp32("layer", "batch", "tokens") },
});
const fixed = tokenizer({
  name: "fixed",
  from: "assets/tokenizer",
  maxLength: 128,
  padding: "maxLength",
  ids: int32,
  pair: true,
  offsets: true,
});
const named = tokenizer({ name: "named", from: "assets/tokenizer", maxLength: 128, seq: "words" });

export const names = defineEnsemble({
  name: "names",
  maxBatchSize: 8,
  inputs: {
    text: bytes("batch", 1),
    open: int64("batch", -1),
    x: fp32("batch", "seq", 4),
    flags: bool("batch", 4),
  },
  run({ text, open, x, flags }) {
    const { input_ids, attention_mask, offsets } = fixed({ text, text_pair: text });
    const padded = encoder({ input_ids: input_ids.cast(int64), attention_mask: attention_mask.cast(int64) });
    const parts = x.split(-1, [1, 3]);
    const halves = x.split("seq", 2);
    return {
      words: encoder(named({ text })).hidden,
      padded: padded.hidden,
      free: padded.layers,
      unknown: encoder({ input_ids: open, attention_mask: open }).hidden,
      stated: open.ensureDims("batch", 16),
      pairs: offsets,
      byNumber: x.transpose(0, 2, 1),
      fromTheEnd: x.transpose(0, -1, -2),
      byName: x.transpose("seq", "batch", 2),
      inFront: x.unsqueeze(0),
      before: x.unsqueeze(-2),
      last: x.unsqueeze(3),
      best: x.topK(2, "seq").indices,
      picked: x.gather(-1, open),
      joined: concat([x, x], "seq"),
      chosen: where(flags, x.mean("seq"), 0).clip(0, 1),
      label: lookup(x.argmax(-1), ["a", "b", "c", "d"]),
      product: x.matmul(x.transpose(0, 2, 1)),
      scaled: x
        .mul(constant(fp32, [1, 2, 3, 4], 4))
        .softmax(-1)
        .cast(fp16),
      either: flags.and(x.max("seq").gt(0)).or(flags.not()),
      flat: x.reshape("batch", -1),
      cut: parts[1],
      halves: halves[0],
      grown: x.pad("seq", 0, 3),
      repeated: x.tile("seq", 2),
      widened: x.mean(-1, { keepDims: true }).tile(-1, 4),
      normal: x.layerNorm(-1, { scale: constant(fp32, 1, 4), bias: x.mean("seq").mean("batch") }).gelu(),
      hot: x.argmin(-1).oneHot(5, -1, int32),
      hotInFront: x.argmin(-1).oneHot(5, 0, fp16),
      coded: text.labelEncode(int64, { keys: ["no", "yes"], values: [0, 1n], otherwise: -1 }),
      scores: einsum("bqd,bkd->bqk", x, x),
      mapped: einsum("bsd , do -> bso", x, constant(fp32, 0, 4, 7)),
      traced: einsum("bsd->b", x),
      odd: x.cast(int64).mod(2).ne(0).xor(x.round().eq(x.floor())),
      whole: x.prod(-1).sign().add(x.logSumExp(2)).erf().ceil(),
    };
  },
});

type Made = (typeof names)["outputs"];
export type Checks = AllTrue<
  [
    Equal<Made["words"], TensorType<"FP32", ["batch", "words", 384]>>,
    Equal<Made["padded"], TensorType<"FP32", ["batch", 128, 384]>>,
    Equal<Made["free"], TensorType<"FP32", ["layer", "batch", 128]>>,
    Equal<Made["unknown"], TensorType<"FP32", ["batch", -1, 384]>>,
    Equal<Made["stated"], TensorType<"INT64", ["batch", 16]>>,
    Equal<Made["pairs"], TensorType<"INT32", ["batch", 128, 2]>>,
    Equal<Made["byNumber"], TensorType<"FP32", ["batch", 4, "seq"]>>,
    Equal<Made["fromTheEnd"], TensorType<"FP32", ["batch", 4, "seq"]>>,
    Equal<Made["byName"], TensorType<"FP32", ["seq", "batch", 4]>>,
    Equal<Made["inFront"], TensorType<"FP32", [1, "batch", "seq", 4]>>,
    Equal<Made["before"], TensorType<"FP32", ["batch", "seq", 1, 4]>>,
    Equal<Made["last"], TensorType<"FP32", ["batch", "seq", 4, 1]>>,
    Equal<Made["best"], TensorType<"INT64", ["batch", 2, 4]>>,
    Equal<Made["picked"], TensorType<"FP32", ["batch", "seq", "batch", -1]>>,
    Equal<Made["joined"], TensorType<"FP32", ["batch", -1, 4]>>,
    Equal<Made["chosen"], TensorType<"FP32", ["batch", 4]>>,
    Equal<Made["label"], TensorType<"BYTES", ["batch", "seq"]>>,
    Equal<Made["product"], TensorType<"FP32", ["batch", "seq", "seq"]>>,
    Equal<Made["scaled"], TensorType<"FP16", ["batch", "seq", 4]>>,
    Equal<Made["either"], TensorType<"BOOL", ["batch", 4]>>,
    Equal<Made["flat"], TensorType<"FP32", ["batch", -1]>>,
    Equal<Made["cut"], TensorType<"FP32", ["batch", "seq", 3]>>,
    Equal<Made["halves"], TensorType<"FP32", ["batch", -1, 4]>>,
    Equal<Made["grown"], TensorType<"FP32", ["batch", -1, 4]>>,
    Equal<Made["repeated"], TensorType<"FP32", ["batch", -1, 4]>>,
    Equal<Made["widened"], TensorType<"FP32", ["batch", "seq", 4]>>,
    Equal<Made["normal"], TensorType<"FP32", ["batch", "seq", 4]>>,
    Equal<Made["hot"], TensorType<"INT32", ["batch", "seq", 5]>>,
    Equal<Made["hotInFront"], TensorType<"FP16", [5, "batch", "seq"]>>,
    Equal<Made["coded"], TensorType<"INT64", ["batch", 1]>>,
    Equal<Made["scores"], TensorType<"FP32", ["batch", "seq", "seq"]>>,
    Equal<Made["mapped"], TensorType<"FP32", ["batch", "seq", 7]>>,
    Equal<Made["traced"], TensorType<"FP32", ["batch"]>>,
    Equal<Made["odd"], TensorType<"BOOL", ["batch", "seq", 4]>>,
    Equal<Made["whole"], TensorType<"FP32", ["batch", "seq"]>>,
  ]
>;
