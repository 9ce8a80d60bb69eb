import { tensorOf } from "@tritype/core";
import { buildModel, decodeModel, encodeModel } from "@tritype/onnx";
import type { CaseFiles } from "../judge/case-files.ts";

/** Words by id. The encoder below knows the first ten. */
export const words = ["[PAD]", "[UNK]", "a", "b", "c", "d", "e", "f", "g", "h", "late", "later"];

/** The number of tokens for which the encoder has positions. */
export const positions = 8;

const tokenizerJson = JSON.stringify({
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: null,
  decoder: null,
  model: {
    type: "WordLevel",
    unk_token: "[UNK]",
    vocab: Object.fromEntries(words.map((word, id) => [word, id])),
  },
});

const tokenizer = `import os

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = os.path.join(args["model_repository"], args["model_version"], "words")
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_padding()

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().reshape(-1)
        rows = self.tokenizer.encode_batch([text.decode() for text in texts])
        ids = np.array([row.ids for row in rows], np.int64)
        return pb_utils.InferenceResponse([pb_utils.Tensor("input_ids", ids)])
`;

const zeros = (rows: number) =>
  tensorOf(
    "FP32",
    [rows, 2],
    Array.from({ length: rows * 2 }, () => 0),
  );
const whole = (value: number | readonly number[]) =>
  typeof value === "number"
    ? tensorOf("INT64", [], [BigInt(value)])
    : tensorOf("INT64", [value.length], value.map(BigInt));

/** Adds the rows of a token's id and of its position, from two tables, and averages over all tokens. */
const encoder = (): Uint8Array => {
  const built = buildModel(
    {
      name: "encoder",
      inputs: [{ name: "input_ids", type: { dtype: "INT64", dims: ["batch", "length"] } }],
      outputs: [{ name: "embedding", type: { dtype: "FP32", dims: ["batch", 2] } }],
    },
    (builder) => {
      const table = builder.constant(zeros(10));
      const places = builder.constant(zeros(positions));
      const [shape] = builder.node("Shape", ["input_ids"]);
      const [length] = builder.node("Gather", [shape, builder.constant(whole(1))]);
      const [range] = builder.node("Range", [builder.constant(whole(0)), length, builder.constant(whole(1))]);
      const [tokens] = builder.node("Gather", [table, "input_ids"]);
      const [placed] = builder.node("Gather", [places, range]);
      const [sum] = builder.node("Add", [tokens, placed]);
      return {
        embedding: builder.node("ReduceMean", [sum], { axes: { ints: [1] }, keepdims: { int: 0 } })[0],
      };
    },
  );
  return withNamedPositions(built);
};

/** Gives the position table the name that exporters use for it. */
const withNamedPositions = (model: Uint8Array): Uint8Array => {
  const { graph, ...rest } = decodeModel(model);
  const old = graph?.initializer?.find(({ dims = [] }) => Number(dims[0]) === positions)?.name;
  const named = (name = ""): string => (name === old ? "encoder.position_embeddings.weight" : name);
  return encodeModel({
    ...rest,
    graph: {
      ...graph,
      initializer: (graph?.initializer ?? []).map((table) => ({ ...table, name: named(table.name) })),
      node: (graph?.node ?? []).map((node) => ({ ...node, input: (node.input ?? []).map(named) })),
    },
  });
};

const batching = "dynamic_batching { max_queue_delay_microseconds: 500000 }";

const picture = `from io import BytesIO

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        rows = pb_utils.get_input_tensor_by_name(request, "file").as_numpy()
        sizes = [[len(BytesIO(row.tobytes()).getvalue())] for row in rows]
        return pb_utils.InferenceResponse([pb_utils.Tensor("size", np.array(sizes, np.float32))])
`;

const pictureConfig = (more: string): string => `backend: "python" max_batch_size: 8
input { name: "file" data_type: TYPE_UINT8 dims: -1 ${more} }
output { name: "size" data_type: TYPE_FP32 dims: 1 }
${batching}
`;

/** Rounds numbers to 8 bits, with a scale that it computes at run time. */
const rounding = (): Uint8Array =>
  buildModel(
    {
      name: "rounding",
      inputs: [{ name: "x", type: { dtype: "FP32", dims: ["batch", 2] } }],
      outputs: [{ name: "y", type: { dtype: "FP32", dims: ["batch", 2] } }],
    },
    (builder) => ({
      y: builder.node("DequantizeLinear", builder.node("DynamicQuantizeLinear", ["x"], {}, 3))[0],
    }),
  );

/**
 * A tokenizer that does not fit its encoder, the same encoder for one row, models that read files, and one that rounds.
 */
export const failingPipelines = (): CaseFiles => ({
  "tokenizer/config.pbtxt": `backend: "python" max_batch_size: 8
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "input_ids" data_type: TYPE_INT64 dims: -1 }
`,
  "tokenizer/1/model.py": tokenizer,
  "tokenizer/1/words/tokenizer.json": tokenizerJson,
  "encoder/config.pbtxt": `backend: "onnxruntime" max_batch_size: 8
input { name: "input_ids" data_type: TYPE_INT64 dims: -1 }
output { name: "embedding" data_type: TYPE_FP32 dims: 2 }
${batching}
`,
  "encoder/1/model.onnx": encoder(),
  "alone/config.pbtxt": `backend: "onnxruntime" max_batch_size: 1
input { name: "input_ids" data_type: TYPE_INT64 dims: -1 }
output { name: "embedding" data_type: TYPE_FP32 dims: 2 }
`,
  "alone/1/model.onnx": encoder(),
  "embed/config.pbtxt": `platform: "ensemble" max_batch_size: 8
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "embedding" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling {
  step { model_name: "tokenizer" model_version: -1 input_map { key: "text" value: "text" } output_map { key: "input_ids" value: "ids" } }
  step { model_name: "encoder" model_version: -1 input_map { key: "input_ids" value: "ids" } output_map { key: "embedding" value: "embedding" } }
}
`,
  "embed/1/keep": "",
  "picture/config.pbtxt": pictureConfig(""),
  "picture/1/model.py": picture,
  "ragged/config.pbtxt": pictureConfig("allow_ragged_batch: true"),
  "ragged/1/model.py": picture,
  "rounding/config.pbtxt": `backend: "onnxruntime" max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
${batching}
`,
  "rounding/1/model.onnx": rounding(),
});
