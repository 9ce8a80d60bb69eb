import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";

/** Dims of all-MiniLM-L6-v2 (its config.json). */
const layers = 6;
const hidden = 384;
const heads = 12;
const headSize = hidden / heads;
const epsilon = 1e-12;
const lowest = -3.4028234663852886e38;

const ids = { dtype: "INT64", dims: ["batch", "seq"] };
/** The signature of every encoder in this example, given the size of its hidden states. */
export const encoderSignature = (size) => ({
  inputs: ["input_ids", "attention_mask", "token_type_ids"].map((name) => ({ name, type: ids })),
  outputs: [{ name: "last_hidden_state", type: { dtype: "FP32", dims: ["batch", "seq", size] } }],
});

/**
 * The bytes of BERT's encoder with the weights of a safetensors file. Source: Devlin et al. 2018; parameter names as in
 * Hugging Face's BertModel.
 * @param {Map<string, { shape: number[], values: Float32Array }>} weights
 */
export const bertEncoder = (weights) =>
  buildModel({ name: "minilm", ...encoderSignature(hidden) }, (b) => {
    const add = (x, y) => b.node("Add", [x, y])[0];
    const mul = (x, y) => b.node("Mul", [x, y])[0];
    const matmul = (x, y) => b.node("MatMul", [x, y])[0];
    const scalar = (value) => b.constant(tensorOf("FP32", [], [value]));
    const ints = (...values) => b.constant(tensorOf("INT64", [values.length], values));
    const reshape = (x, ...shape) => b.node("Reshape", [x, ints(...shape)])[0];
    const transpose = (x, ...perm) => b.node("Transpose", [x], { perm: { ints: perm } })[0];
    const weight = (name) => b.constant(tensorData(weights, name));
    const linear = (x, name) =>
      add(matmul(x, b.constant(transposed(weights, `${name}.weight`))), weight(`${name}.bias`));
    const layerNorm = (x, name) =>
      b.node("LayerNormalization", [x, weight(`${name}.weight`), weight(`${name}.bias`)], {
        axis: { int: -1 },
        epsilon: { float: epsilon },
      })[0];

    const embeddings = () => {
      const rows = (table, at) => b.node("Gather", [weight(`embeddings.${table}_embeddings.weight`), at])[0];
      const [shape] = b.node("Shape", ["input_ids"]);
      const [length] = b.node("Gather", [shape, b.constant(tensorOf("INT64", [], [1]))]);
      const int = (value) => b.constant(tensorOf("INT64", [], [value]));
      const [positions] = b.node("Range", [int(0), length, int(1)]);
      const words = add(rows("word", "input_ids"), rows("token_type", "token_type_ids"));
      return layerNorm(add(words, rows("position", positions)), "embeddings.LayerNorm");
    };
    /** 0 for tokens, the lowest float for padding: FP32[batch, 1, 1, seq]. */
    const paddingBias = () => {
      const [mask] = b.node("Cast", ["attention_mask"], { to: { int: 1 } });
      const [padding] = b.node("Sub", [scalar(1), mask]);
      return b.node("Unsqueeze", [mul(padding, scalar(lowest)), ints(1, 2)])[0];
    };
    const attention = (x, bias, name) => {
      const split = (part, ...perm) =>
        transpose(reshape(linear(x, `${name}.self.${part}`), 0, 0, heads, headSize), ...perm);
      const query = split("query", 0, 2, 1, 3);
      const key = split("key", 0, 2, 3, 1);
      const scores = add(mul(matmul(query, key), scalar(1 / Math.sqrt(headSize))), bias);
      const [probabilities] = b.node("Softmax", [scores], { axis: { int: -1 } });
      const context = transpose(matmul(probabilities, split("value", 0, 2, 1, 3)), 0, 2, 1, 3);
      const output = linear(reshape(context, 0, 0, hidden), `${name}.output.dense`);
      return layerNorm(add(output, x), `${name}.output.LayerNorm`);
    };
    const gelu = (x) => {
      const [erf] = b.node("Erf", [mul(x, scalar(Math.SQRT1_2))]);
      return mul(mul(x, scalar(0.5)), add(erf, scalar(1)));
    };
    const feedForward = (x, name) => {
      const wide = gelu(linear(x, `${name}.intermediate.dense`));
      return layerNorm(add(linear(wide, `${name}.output.dense`), x), `${name}.output.LayerNorm`);
    };

    let state = embeddings();
    const bias = paddingBias();
    for (let layer = 0; layer < layers; layer++) {
      const name = `encoder.layer.${layer}`;
      state = feedForward(attention(state, bias, `${name}.attention`), name);
    }
    return { last_hidden_state: state };
  });

const tensorOfWeights = (shape, values) => ({
  dtype: "FP32",
  shape,
  data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
});

const tensorData = (weights, name) => {
  const { shape, values } = weights.get(name);
  return tensorOfWeights(shape, values);
};

/** torch keeps linear weights as [out, in]; MatMul expects [in, out]. */
const transposed = (weights, name) => {
  const {
    shape: [rows, columns],
    values,
  } = weights.get(name);
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = values[row * columns + column];
  return tensorOfWeights([columns, rows], turned);
};
