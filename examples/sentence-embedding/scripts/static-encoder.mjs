import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { encoderSignature } from "./bert-encoder.mjs";

/**
 * The bytes of an encoder that looks up each token's vector (int8 with one scale) and multiplies it by the mask. It has BERT's three
 * inputs; `token_type_ids` is read but has no effect.
 * @param {readonly Float64Array[]} table one row per token
 */
export const staticEncoder = (table) => {
  const size = table[0].length;
  const { scale, data } = quantize(table);
  return buildModel({ name: "static", ...encoderSignature(size) }, (b) => {
    const float = (x) => b.node("Cast", [x], { to: { int: 1 } })[0];
    const rows = b.constant({ dtype: "INT8", shape: [table.length, size], data });
    const [looked] = b.node("Gather", [rows, "input_ids"], { axis: { int: 0 } });
    const scalar = (dtype, value) => b.constant(tensorOf(dtype, [], [value]));
    const [vectors] = b.node("DequantizeLinear", [looked, scalar("FP32", scale), scalar("INT8", 0)]);
    const [nothing] = b.node("Mul", [float("token_type_ids"), scalar("FP32", 0)]);
    const [weights] = b.node("Add", [float("attention_mask"), nothing]);
    const [column] = b.node("Unsqueeze", [weights, b.constant(tensorOf("INT64", [1], [-1]))]);
    return { last_hidden_state: b.node("Mul", [vectors, column])[0] };
  });
};

const quantize = (table) => {
  const largest = table.reduce((max, row) => row.reduce((m, x) => Math.max(m, Math.abs(x)), max), 0);
  const scale = Math.fround(largest / 127);
  const values = Int8Array.from(table.flatMap((row) => Array.from(row, (x) => Math.round(x / scale))));
  return { scale, data: new Uint8Array(values.buffer) };
};
