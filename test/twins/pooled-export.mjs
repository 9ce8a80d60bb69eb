import { tensorOf } from "@tritype/core";
import { decodeModel, encodeModel } from "@tritype/onnx";

/**
 * The encoder as BioLinkBERT's deployment exports it, with pooling and the mask included: `input_ids` and
 * `attention_mask` in, `embedding` FP32[batch, size] out. Segments are zeros, the default of BertModel.
 */
export const pooledExport = (encoder) => {
  const { graph, ...rest } = decodeModel(encoder);
  const constants = [
    ["pool_zero", tensorOf("INT64", [], [0n])],
    ["pool_tokens", tensorOf("INT64", [1], [1n])],
    ["pool_last", tensorOf("INT64", [1], [-1n])],
    ["pool_least", tensorOf("FP32", [], [1e-9])],
  ];
  const node = (opType, input, output, attribute = []) => ({
    opType,
    input,
    output: [output],
    attribute,
  });
  const keepdims = { name: "keepdims", type: 2, i: 0n };
  const [hidden] = graph.output;
  const { shape } = hidden.type.tensorType;
  const output = {
    name: "embedding",
    type: { tensorType: { elemType: 1, shape: { dim: [shape.dim[0], shape.dim[2]] } } },
  };
  return encodeModel({
    ...rest,
    graph: {
      ...graph,
      input: graph.input.filter(({ name }) => name !== "token_type_ids"),
      output: [output],
      initializer: [
        ...graph.initializer,
        ...constants.map(([name, { dtype, shape: dims, data }]) => ({
          name,
          dataType: dtype === "FP32" ? 1 : 7,
          dims: dims.map(BigInt),
          rawData: data,
        })),
      ],
      node: [
        node("Mul", ["input_ids", "pool_zero"], "token_type_ids"),
        ...graph.node,
        node("Cast", ["attention_mask"], "pool_cast", [{ name: "to", type: 2, i: 1n }]),
        node("Unsqueeze", ["pool_cast", "pool_last"], "pool_mask"),
        node("Mul", [hidden.name, "pool_mask"], "pool_kept"),
        node("ReduceSum", ["pool_kept", "pool_tokens"], "pool_sum", [keepdims]),
        node("ReduceSum", ["pool_mask", "pool_tokens"], "pool_found", [keepdims]),
        node("Max", ["pool_found", "pool_least"], "pool_count"),
        node("Div", ["pool_sum", "pool_count"], "embedding"),
      ],
    },
  });
};
