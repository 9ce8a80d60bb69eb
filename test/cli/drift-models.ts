import { tensorOf } from "@tritype/core";
import { buildModel, decodeModel, encodeModel } from "@tritype/onnx";

/** Size of the example's vocabulary. */
const vocabulary = 30_522;

/** An encoder that ignores its mask, so that padding gets vectors as in a transformer: token vectors, a bias and one matrix. */
export const unmaskedEncoder = (size = 8): Uint8Array => {
  const ids = { dtype: "INT64", dims: ["batch", "seq"] } as const;
  const wave = (count: number, step: number): number[] =>
    Array.from({ length: count }, (_, i) => Math.sin((i + 1) * step) + 0.3 * Math.cos(i * i));
  return buildModel(
    {
      name: "encoder",
      inputs: [{ name: "input_ids", type: ids }],
      outputs: [{ name: "last_hidden_state", type: { dtype: "FP32", dims: ["batch", "seq", size] } }],
    },
    (builder) => {
      // As in real tables, words have larger vectors than special tokens, to varying degrees.
      const loudness = (token: number): number => (token < 1000 ? 0.1 : 1 + ((token * 7919) % 1000) / 200);
      const loud = wave(vocabulary * size, 0.7).map((x, i) => x * loudness(Math.floor(i / size)));
      const table = builder.constant(tensorOf("FP32", [vocabulary, size], loud));
      const weights = builder.constant(tensorOf("FP32", [size, size], wave(size * size, 1.3)));
      const [vectors] = builder.node("Gather", [table, "input_ids"], { axis: { int: 0 } });
      const [shifted] = builder.node("Add", [
        vectors,
        builder.constant(tensorOf("FP32", [size], wave(size, 2.1))),
      ]);
      return { last_hidden_state: builder.node("MatMul", [shifted, weights])[0] };
    },
  );
};

/** A pipeline that turns each text into a vector. `pooled` is the pooling under test. */
export const poolingSource = (
  pooled: string,
): string => `import { bytes, defineEnsemble, fp32, int64, l2Normalize, meanPool, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 64 });
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 16,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids });
    return { embedding: ${pooled} };
  },
  warmup: [
    { name: "one", inputs: { text: ["a short text"] } },
    { name: "two", inputs: { text: ["a short text", "a text that is much longer than the other of the two"] } },
  ],
});
`;

/** The example's int8 table as FP32: the same vectors, in a file four times the size. */
export const widened = (bytes: Uint8Array): Uint8Array => {
  const model = decodeModel(bytes);
  const graph = model.graph ?? {};
  const dequantize = graph.node?.find(({ opType }) => opType === "DequantizeLinear");
  const gather = graph.node?.find(({ opType }) => opType === "Gather");
  const find = (name: string | undefined) => graph.initializer?.find((tensor) => tensor.name === name);
  const rows = find(gather?.input?.[0]);
  const scale = new DataView(
    new Uint8Array(find(dequantize?.input?.[1])?.rawData ?? [0, 0, 0, 0]).buffer,
  ).getFloat32(0, true);
  const values = new Int8Array(new Uint8Array(rows?.rawData ?? []).buffer);
  // `Float32Array.from` takes a second for eight million values.
  const floats = new Float32Array(values);
  for (let i = 0; i < floats.length; i++) floats[i] = (floats[i] ?? 0) * scale;
  return encodeModel({
    ...model,
    graph: {
      ...graph,
      node: (graph.node ?? []).flatMap((node) =>
        node === dequantize ? [] : node === gather ? [{ ...node, output: dequantize?.output ?? [] }] : [node],
      ),
      initializer: (graph.initializer ?? []).map((tensor) =>
        tensor === rows ? { ...tensor, dataType: 1, rawData: new Uint8Array(floats.buffer) } : tensor,
      ),
    },
  });
};

/** Returns its input FP32[batch, 4], with NaN for numbers above `limit`, like a half-precision overflow. */
export const overflowing = (limit: number): Uint8Array =>
  buildModel(
    {
      name: "double",
      inputs: [{ name: "x", type: { dtype: "FP32", dims: ["batch", 4] } }],
      outputs: [{ name: "y", type: { dtype: "FP32", dims: ["batch", 4] } }],
    },
    (builder) => {
      const constant = (value: number): string => builder.constant(tensorOf("FP32", [], [value]));
      const [large] = builder.node("Greater", ["x", constant(limit)]);
      const [twice] = builder.node("Add", ["x", "x"]);
      return { y: builder.node("Where", [large, constant(Number.NaN), twice])[0] };
    },
  );
