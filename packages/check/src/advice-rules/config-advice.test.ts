import { buildModel, decodeModel, encodeModel } from "@tritype/onnx";
import { tensorOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { adviceOn, type Files, showAdvice } from "./advice.fixture.ts";

const python = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "x")
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x.as_numpy())])
`;

const io = `input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }`;

const model = (config: string, code = python): Files => ({ "m/config.pbtxt": config, "m/1/model.py": code });

describe("names and enums", () => {
  test.each([
    [
      "an input twice",
      `backend: "python"
input [ { name: "x" data_type: TYPE_FP32 dims: 2 }, { name: "x" data_type: TYPE_INT64 dims: 3 } ]
output { name: "y" data_type: TYPE_FP32 dims: 2 }`,
      "m/config.pbtxt:2:55 tensor/duplicate-input: `m` declares the input `x` twice",
    ],
    [
      "an output twice",
      `backend: "python"
${io}
output { name: "y" data_type: TYPE_FP32 dims: 2 }`,
      "m/config.pbtxt:4:10 tensor/duplicate-output: `m` declares the output `y` twice",
    ],
    [
      "an output with the name of an input",
      `backend: "tensorrt"
${io.replace('"x"', '"y"')}`,
      "",
    ],
    [
      "an undefined number",
      `backend: "python"
input { name: "x" data_type: 99 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }`,
      "m/config.pbtxt:2:19 config/enum-number: `input.0.data_type` of `m` is the number 99 instead of an identifier; no identifier has this value",
    ],
    [
      "a number with a meaning",
      `backend: "python"
input { name: "x" data_type: 11 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
instance_group { kind: 2 count: 1 }`,
      `m/config.pbtxt:2:19 config/enum-number: \`input.0.data_type\` of \`m\` is the number 11 instead of an identifier
m/config.pbtxt:4:18 config/enum-number: \`instance_group.0.kind\` of \`m\` is the number 2 instead of an identifier`,
    ],
    ["identifiers", `backend: "python" ${io} instance_group { kind: KIND_CPU count: 2 }`, ""],
    [
      "an output that the exporter numbered",
      `backend: "tensorrt"
${io.replace('"y"', '"3391"')}`,
      "m/config.pbtxt:3:10 onnx-model/numeric-output: an output of `m` is named `3391`, a number that the exporter assigned",
    ],
    [
      "labels for strings",
      `backend: "python"
${io.replace('"y" data_type: TYPE_FP32', '"y" label_filename: "labels.txt" data_type: TYPE_STRING')}`,
      "m/config.pbtxt:3:20 tensor/unranked-labels: output `y` of `m` has labels, but a request for classes of TYPE_STRING elements crashes the server: Triton cannot rank them",
    ],
    [
      "labels of half-precision floats",
      `backend: "python"
${io.replace('"y" data_type: TYPE_FP32', '"y" label_filename: "labels.txt" data_type: TYPE_FP16')}`,
      "m/config.pbtxt:3:20 tensor/unranked-labels: output `y` of `m` has labels, but a request for classes of TYPE_FP16 elements is refused: Triton cannot rank them",
    ],
    [
      "labels of scores",
      `backend: "tensorrt"
${io.replace('"y" data_type: TYPE_FP32', '"y" label_filename: "labels.txt" data_type: TYPE_FP32')}`,
      "",
    ],
    ["a name with digits", `backend: "tensorrt"\n${io.replace('"y"', '"output_0"')}`, ""],
    [
      "a number that is an author's choice",
      `backend: "python"\n${io.replace('"y"', '"3391"')}`.replace(
        "FP32 dims: 2 }\noutput",
        "FP32 dims: 2 }\noutput",
      ),
      undefined,
    ],
  ])("%s", (_, config, says) => {
    if (says === undefined) expect(showAdvice(model(config))).not.toContain("numeric-output");
    else expect(showAdvice(model(config))).toBe(says);
  });
});

describe("batching", () => {
  const torch = io.replace('"x"', '"INPUT__0"').replace('"y"', '"OUTPUT__0"');
  test.each([
    [
      "a batcher without batches",
      `backend: "python"\n${io}\ndynamic_batching { }`,
      "m/config.pbtxt:4:1 batch/inert: `m` has `dynamic_batching`, but its `max_batch_size` is 0: requests are never merged",
    ],
    [
      "a batcher of one",
      `backend: "python" max_batch_size: 1\n${io}\ndynamic_batching { }`,
      "m/config.pbtxt:4:1 batch/inert: `m` has `dynamic_batching`, but its `max_batch_size` is 1: requests are never merged",
    ],
    [
      "one row of PyTorch",
      `backend: "pytorch" max_batch_size: 1\n${torch}`,
      "m/config.pbtxt:1:20 batch/one-row: `m` accepts only one row at a time: its `max_batch_size` is 1",
    ],
    ["rows of PyTorch", `backend: "pytorch" max_batch_size: 2\n${torch}`, ""],
    ["one row of a sequence", `backend: "pytorch" max_batch_size: 1\n${torch}\nsequence_batching { }`, ""],
    ["one row of Python", `backend: "python" max_batch_size: 1\n${io}`, ""],
    ["a batcher of eight", `backend: "python" max_batch_size: 8\n${io}\ndynamic_batching { }`, ""],
    [
      "a queue with priorities",
      `backend: "python"\n${io}\ndynamic_batching { priority_levels: 2 default_priority_level: 1 }`,
      "m/config.pbtxt:4:20 batch/queue-stalls: with `priority_levels`, requests to `m` can wait for half a second although an instance is free",
    ],
    ["a backend that completes by itself", `backend: "openvino"\n${io}\ndynamic_batching { }`, ""],
  ])("%s", (_, config, says) => expect(showAdvice(model(config))).toBe(says));

  test.each([
    [
      "open",
      "batch",
      "m/config.pbtxt:1:24 batch/one-row: `m` accepts only one row at a time: its `max_batch_size` is 1",
    ],
    ["one", 1, ""],
  ] as const)("checks an ONNX model with max_batch_size 1 whose batch dimension is %s", (_, batch, says) => {
    const type = { dtype: "FP32", dims: [batch, 2] } as const;
    const file = buildModel(
      { name: "same", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
      (builder) => ({ y: builder.node("Identity", ["x"])[0] }),
    );
    const files = {
      "m/config.pbtxt": `backend: "onnxruntime" max_batch_size: 1\n${io}`,
      "m/1/model.onnx": file,
    };
    expect(showAdvice(files)).toBe(says);
  });

  const rows = (more = ""): string => `backend: "python" ${more}
input { name: "input_ids" data_type: TYPE_INT64 dims: [ -1, -1 ] }
output { name: "y" data_type: TYPE_INT64 dims: [ -1, -1 ] }`;
  const uncounted =
    "batch/uncounted-rows: `m` accepts `input_ids` with any number of rows, but its `max_batch_size` is 0: requests never run together";

  test.each([
    ["rows that are not a batch", rows(), `m/config.pbtxt:2:49 ${uncounted}`],
    ["rows and a size of 0", rows("max_batch_size: 0"), `m/config.pbtxt:2:49 ${uncounted}`],
    ["rows of a batch", rows("max_batch_size: 8"), ""],
    ["ids of one row", rows().replace("-1, -1", "-1"), ""],
    ["one answer for all rows", rows().replace(/\[ -1, -1 \] }$/, "1 }"), ""],
    ["rows of something else", rows().replace("input_ids", "pixels"), ""],
    ["rows of a sequence", `${rows()}\nsequence_batching { }`, ""],
    ["rows for many answers", `${rows()}\nmodel_transaction_policy { decoupled: true }`, ""],
  ])("%s", (_, config, says) => {
    const said = showAdvice(model(config)).split("\n");
    expect(said.filter((line) => line.includes("batch/uncounted-rows")).join("\n")).toBe(says);
  });

  test("a model with auto_complete_config", () => {
    const code = `${python}
    @staticmethod
    def auto_complete_config(config):
        config.set_max_batch_size(8)
        return config
`;
    expect(showAdvice(model(`backend: "python"\n${io}\ndynamic_batching { }`, code))).toBe("");
  });
});

describe("warmup", () => {
  const warmup =
    'model_warmup { name: "w" batch_size: 1 inputs { key: "x" value { data_type: TYPE_FP32 dims: 2 zero_data: true } } }';
  const calls = python.replace(
    "        return pb_utils",
    '        answer = pb_utils.InferenceRequest(model_name="n", requested_output_names=["y"], inputs=[x]).exec()\n        return pb_utils',
  );
  const other: Files = {
    "n/config.pbtxt": `backend: "python"\n${io}`,
    "n/1/model.py": python,
  };
  test("reports a warmup of a model that calls other models", () =>
    expect(showAdvice({ ...model(`backend: "python"\n${io}\n${warmup}`, calls), ...other })).toBe(
      "m/config.pbtxt:4:1 warmup/calls-models: `m` has a warmup, and `execute` in `1/model.py` calls other models",
    ));
  test("accepts a warmup of a model that calls no other models", () =>
    expect(showAdvice(model(`backend: "python"\n${io}\n${warmup}`))).toBe(""));
  test("accepts calls without a warmup", () =>
    expect(showAdvice({ ...model(`backend: "python"\n${io}`, calls), ...other })).toBe(""));
});

describe("calls to other models", () => {
  const caller = (called: string, input: string, output: string, tensor = "pb_utils.Tensor"): Files =>
    model(
      `backend: "python"\n${io}`,
      python.replace(
        "        return pb_utils",
        `${tensor === "pb_utils.Tensor" ? "" : `        ${tensor} = pb_utils.Tensor\n`}        answer = pb_utils.InferenceRequest(model_name=${called}, requested_output_names=["${output}"], inputs=[${tensor}("${input}", x.as_numpy())]).exec()\n        return pb_utils`,
      ),
    );
  const scorer: Files = {
    "scorer/config.pbtxt": `backend: "tensorrt"
input { name: "features" data_type: TYPE_FP32 dims: 2 }
output { name: "scores" data_type: TYPE_FP32 dims: 2 }`,
    "scorer/1/model.plan": "x",
  };
  test.each([
    ["with its names", caller('"scorer"', "features", "scores"), ""],
    [
      "that does not exist",
      caller('"scorers"', "features", "scores"),
      "m/1/model.py:10:55 python/called-model: `1/model.py` of `m` calls `scorers`, which is not in the repository",
    ],
    [
      "with an input that it lacks",
      caller('"scorer"', "x", "scores"),
      "m/1/model.py:10:124 python/called-tensor: `1/model.py` of `m` calls `scorer` with the input `x`, which that model does not have",
    ],
    [
      "for an output that it lacks",
      caller('"scorer"', "features", "score"),
      "m/1/model.py:10:89 python/called-tensor: `1/model.py` of `m` calls `scorer` with the output `score`, which that model does not have",
    ],
    ["whose name comes with the request", caller("request.request_id()", "x", "score"), ""],
    [
      "with an input that it lacks, under a name of the class",
      caller('"scorer"', "x", "scores", "T"),
      "m/1/model.py:11:110 python/called-tensor: `1/model.py` of `m` calls `scorer` with the input `x`, which that model does not have",
    ],
  ])("%s", (_, files, says) => expect(showAdvice({ ...files, ...scorer })).toBe(says));

  test("a missing model is reported once for each file, at the first call", () => {
    const text = caller('"scorers"', "x", "y")["m/1/model.py"] as string;
    const [call = ""] = /^ +answer = .*\n/m.exec(text) ?? [];
    const files = {
      ...caller('"scorers"', "x", "y"),
      "m/1/model.py": text.replace(call, call + call + call.replace("scorers", "others")),
    };
    expect(
      showAdvice({ ...files, ...scorer })
        .split("\n")
        .map((line) => line.split(" ")[0] ?? ""),
    ).toEqual(["m/1/model.py:10:55", "m/1/model.py:12:55"]);
  });

  /** The files that the build writes for the flow `m`, which calls a model under the name `score`. */
  const flow = (called: string, output: string, type: object): Files => ({
    ...model(`backend: "python"\n${io}`, `${python}\n# pb_utils.InferenceRequest\n`),
    "m/1/function.json": JSON.stringify(
      {
        step: "m",
        calls: {
          score: {
            model: called,
            inputs: { features: { dtype: "FP32", dims: [2] } },
            outputs: { [output]: type },
          },
        },
      },
      null,
      2,
    ),
  });
  const pair = { dtype: "FP32", dims: ["n"] };
  test.each([
    ["as it was built", flow("scorer", "scores", pair), ""],
    [
      "that no longer exists",
      flow("scorers", "scores", pair),
      "m/1/function.json:5:7 python/called-model: `1/function.json` of `m` calls `scorers`, which is not in the repository",
    ],
    [
      "whose output has another name",
      flow("scorer", "score", pair),
      "m/1/function.json:15:9 python/called-tensor: `1/function.json` of `m` calls `scorer` with the output `score`, which that model does not have",
    ],
    [
      "whose output has another dtype",
      flow("scorer", "scores", { dtype: "INT64", dims: [2] }),
      "m/1/function.json:15:9 python/called-type: `1/function.json` of `m` expects INT64[2] for the output `scores` of `scorer`, which has FP32[2]",
    ],
    [
      "whose output has another size",
      flow("scorer", "scores", { dtype: "FP32", dims: ["batch", 3] }),
      "m/1/function.json:15:9 python/called-type: `1/function.json` of `m` expects FP32[-1, 3] for the output `scores` of `scorer`, which has FP32[2]",
    ],
  ])("checks a flow that calls a model %s", (_, files, says) =>
    expect(showAdvice({ ...files, ...scorer })).toBe(says),
  );

  const ensemble = (name: string, called: string): Files => ({
    [`${name}/config.pbtxt`]: `platform: "ensemble"
input { name: "features" data_type: TYPE_FP32 dims: 2 }
output { name: "scores" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling { step { model_name: "${called}" model_version: -1 input_map { key: "x" value: "features" } output_map { key: "y" value: "scores" } } }`,
  });
  test.each([
    ["itself", flow("m", "y", pair), "`m` calls itself: m → m"],
    [
      "an ensemble that calls it",
      { ...flow("e", "scores", pair), ...ensemble("e", "m") },
      "`m` calls itself: m → e → m",
    ],
  ])("reports that a model calls %s", (_, files, says) =>
    expect(showAdvice(files)).toContain(`m/1/function.json:5:7 python/circular-calls: ${says}`),
  );
  test("models that call each other in a cycle are reported once", () => {
    const other = Object.entries(caller('"m"', "x", "y")).map(([path, text]) => [
      path.replace("m/", "n/"),
      text,
    ]);
    expect(showAdvice({ ...caller('"n"', "x", "y"), ...(Object.fromEntries(other) as Files) })).toBe(
      "n/1/model.py:10:55 python/circular-calls: `n` calls itself: n → m → n",
    );
  });
});

const tokenizerCode = (padding: string): string => `import triton_python_backend_utils as pb_utils
from transformers import AutoTokenizer


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = AutoTokenizer.from_pretrained(args["model_repository"] + "/1")

    def execute(self, requests):
        responses = []
        for request in requests:
            texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().reshape(-1)
            batch = self.tokenizer([t.decode("utf-8") for t in texts], ${padding}, return_tensors="np")
            ids = pb_utils.Tensor("input_ids", batch["input_ids"])
            responses.append(pb_utils.InferenceResponse(output_tensors=[ids]))
        return responses
`;

const embeddings = (rows: number): Uint8Array =>
  buildModel(
    {
      name: "encoder",
      inputs: [{ name: "input_ids", type: { dtype: "INT64", dims: ["batch", "length"] } }],
      outputs: [{ name: "logits", type: { dtype: "FP32", dims: ["batch", "length", 2] } }],
    },
    (builder) => {
      const table = builder.constant(
        tensorOf(
          "FP32",
          [rows, 2],
          Array.from({ length: rows * 2 }, () => 0),
        ),
      );
      return { logits: builder.node("Gather", [table, "input_ids"])[0] };
    },
  );

/** The same model with a position table, under the name that exporters give it. */
const withPositions = (rows: number): Uint8Array => {
  const { graph, ...model } = decodeModel(embeddings(8));
  const table = "encoder.embeddings.position_embeddings.weight";
  return encodeModel({
    ...model,
    graph: {
      ...graph,
      initializer: [
        ...(graph?.initializer ?? []),
        { name: table, dims: [rows, 2], dataType: 1, rawData: new Uint8Array(rows * 8) },
        { name: "position_ids", dims: [1], dataType: 7, rawData: new Uint8Array(8) },
      ],
      node: [
        ...(graph?.node ?? []),
        { opType: "Gather", input: [table, "position_ids"], output: ["positions"] },
      ],
    },
  });
};

const tokenizerJson = (size: number, padId = 0): string =>
  JSON.stringify({
    model: {
      type: "WordPiece",
      vocab: Object.fromEntries(Array.from({ length: size }, (_, id) => [`t${id}`, id])),
    },
    added_tokens: [{ id: 0, content: "t0" }],
    padding: { pad_id: padId },
  });

const ensemble = (padding: string, tokenizer: string, more: Files = {}): Files => ({
  "e/config.pbtxt": `platform: "ensemble" max_batch_size: 8
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "logits" data_type: TYPE_FP32 dims: [ -1, 2 ] }
ensemble_scheduling {
  step { model_name: "tokenizer" model_version: -1 input_map { key: "text" value: "text" } output_map { key: "input_ids" value: "ids" } }
  step { model_name: "encoder" model_version: -1 input_map { key: "input_ids" value: "ids" } output_map { key: "logits" value: "logits" } }
}`,
  "e/1/": "",
  "tokenizer/config.pbtxt": `backend: "python" max_batch_size: 8
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "input_ids" data_type: TYPE_INT64 dims: -1 }`,
  "tokenizer/1/model.py": tokenizerCode(padding),
  "tokenizer/1/tokenizer.json": tokenizer,
  "encoder/config.pbtxt": `backend: "onnxruntime" max_batch_size: 8
input { name: "input_ids" data_type: TYPE_INT64 dims: -1 }
output { name: "logits" data_type: TYPE_FP32 dims: [ -1, 2 ] }`,
  "encoder/1/model.onnx": embeddings(8),
  ...more,
});

const batched = (files: Files): Files => ({
  ...files,
  "encoder/config.pbtxt": `${String(files["encoder/config.pbtxt"])}\ndynamic_batching { }`,
});

const libraryCode = (setting: string): Files => ({
  "tokenizer/1/model.py": `from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        ${setting}

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        texts = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().reshape(-1)
        rows = self.tokenizer.encode_batch([text.decode() for text in texts])
        ids = np.array([row.ids for row in rows], np.int64)
        return pb_utils.InferenceResponse([pb_utils.Tensor("input_ids", ids)])
`,
});

const raggedInput = (files: Files): Files => ({
  ...files,
  "encoder/config.pbtxt": String(files["encoder/config.pbtxt"]).replace(
    "dims: -1 }\noutput",
    "dims: -1 allow_ragged_batch: true }\noutput",
  ),
});

/** An encoder followed by a batcher; `length` is the name of a dimension of the encoder's output. */
const batchedSecond = (length: string): Files => {
  const { graph, ...rest } = decodeModel(embeddings(8));
  const [logits] = graph?.output ?? [];
  const shape = { dim: [{ dimParam: "batch" }, { dimParam: length }, { dimValue: 2 }] };
  const output = [{ ...logits, type: { tensorType: { ...logits?.type?.tensorType, shape } } }];
  const files = ensemble("padding=True", tokenizerJson(8));
  return {
    ...files,
    "e/config.pbtxt": String(files["e/config.pbtxt"])
      .replace("dims: [ -1, 2 ]", "dims: 2")
      .replace(
        'key: "logits" value: "logits" } }',
        `key: "logits" value: "states" } }
  step { model_name: "pooler" model_version: -1 input_map { key: "states" value: "states" } output_map { key: "pooled" value: "logits" } }`,
      ),
    "encoder/1/model.onnx": encodeModel({ ...rest, graph: { ...graph, output } }),
    "pooler/config.pbtxt": `backend: "tensorrt" max_batch_size: 8
input { name: "states" data_type: TYPE_FP32 dims: [ -1, 2 ] }
output { name: "pooled" data_type: TYPE_FP32 dims: 2 } dynamic_batching { }`,
    "pooler/1/model.plan": "x",
  };
};

/** A repository without an ensemble, in which the tokenizer's model.py calls the encoder. */
const calledEncoder = (padding: string, tokens = 8): Files => {
  const { "e/config.pbtxt": _, "e/1/": __, ...files } = batched(ensemble(padding, tokenizerJson(tokens)));
  return {
    ...files,
    "tokenizer/config.pbtxt": String(files["tokenizer/config.pbtxt"]).replace(
      'name: "input_ids" data_type: TYPE_INT64 dims: -1',
      'name: "logits" data_type: TYPE_FP32 dims: [ -1, 2 ]',
    ),
    "tokenizer/1/model.py": tokenizerCode(padding)
      .replace(
        "            responses.append(pb_utils.InferenceResponse(output_tensors=[ids]))",
        `            answer = self.call("encoder", [ids])
            responses.append(pb_utils.InferenceResponse(output_tensors=answer.output_tensors()))`,
      )
      .concat(`
    def call(self, name, inputs):
        return pb_utils.InferenceRequest(model_name=name, requested_output_names=["logits"], inputs=inputs).exec()
`),
  };
};

const imageModel = (more: string): Files => ({
  "m/config.pbtxt": `backend: "python" max_batch_size: 8
input { name: "image" data_type: TYPE_UINT8 dims: -1 ${more} }
output { name: "y" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
dynamic_batching { }`,
  "m/1/model.py": `import io

import numpy as np
import triton_python_backend_utils as pb_utils
from PIL import Image


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        rows = pb_utils.get_input_tensor_by_name(request, "image").as_numpy()
        images = [np.asarray(Image.open(io.BytesIO(row.tobytes())).resize((224, 224)), np.float32) for row in rows]
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", np.stack(images).transpose(0, 3, 1, 2))])
`,
});

describe("across models", () => {
  test.each([
    ["a tokenizer that fits", ensemble("padding=True", tokenizerJson(8)), ""],
    ["a smaller vocabulary", ensemble("padding=True", tokenizerJson(5)), ""],
    [
      "a larger vocabulary",
      ensemble("padding=True", tokenizerJson(10)),
      "tokenizer/1/tokenizer.json:1:1 model-file/vocabulary: `tokenizer/1/tokenizer.json` has ids up to 9 (`t9`), but `encoder` knows 8 tokens",
    ],
    [
      "a pad id that does not exist",
      ensemble("padding=True", tokenizerJson(8, 8)),
      "tokenizer/1/tokenizer.json:1:1 model-file/pad-id: `tokenizer/1/tokenizer.json` pads with id 8, but `encoder` knows 8 tokens",
    ],
    [
      "a batcher after padding to the longest",
      batched(ensemble("padding=True", tokenizerJson(8))),
      "encoder/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `encoder` only merges requests of equal shape, but `tokenizer` pads `ids` to the longest text of each request",
    ],
    ["a batcher that the backend may add", ensemble("padding=True, truncation=True", tokenizerJson(8)), ""],
    [
      "a batcher after no padding",
      batched(ensemble("add_special_tokens=True", tokenizerJson(8))),
      "encoder/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `encoder` only merges requests of equal shape, but `tokenizer` does not pad `ids`",
    ],
    [
      "a batcher after the library `tokenizers`",
      batched(ensemble("", tokenizerJson(8), libraryCode("self.tokenizer.enable_padding()"))),
      "encoder/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `encoder` only merges requests of equal shape, but `tokenizer` pads `ids` to the longest text of each request",
    ],
    [
      "a batcher after the library `tokenizers`, rounded",
      batched(
        ensemble("", tokenizerJson(8), libraryCode("self.tokenizer.enable_padding(pad_to_multiple_of=64)")),
      ),
      "",
    ],
    [
      "a batcher after the library `tokenizers`, as the file says",
      batched(ensemble("", tokenizerJson(8), libraryCode("pass"))),
      "",
    ],
    [
      "a batcher after the library `tokenizers`, without padding",
      batched(ensemble("", tokenizerJson(8), libraryCode("self.tokenizer.no_padding()"))),
      "encoder/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `encoder` only merges requests of equal shape, but `tokenizer` does not pad `ids`",
    ],
    ["a ragged input", raggedInput(batched(ensemble("padding=True", tokenizerJson(8)))), ""],
    [
      "a batcher after a model that keeps the length",
      batchedSecond("length"),
      "pooler/config.pbtxt:3:56 batch/rarely-merges: dynamic batching of `pooler` only merges requests of equal shape, but `tokenizer` pads `ids` to the longest text of each request, which gives `states` its length",
    ],
    ["a batcher after a model of another length", batchedSecond("frames"), ""],
    [
      "a batcher that a Python model calls",
      calledEncoder("padding=True, truncation=True"),
      "encoder/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `encoder` only merges requests of equal shape, but `tokenizer`, which calls it, pads `input_ids` to the longest text of each request",
    ],
    [
      "a batcher that a Python model calls with a few lengths",
      calledEncoder("padding=True, pad_to_multiple_of=32"),
      "",
    ],
    [
      "a vocabulary that a Python model calls",
      calledEncoder('padding="max_length", max_length=64', 12),
      "tokenizer/1/tokenizer.json:1:1 model-file/vocabulary: `tokenizer/1/tokenizer.json` has ids up to 11 (`t11`), but `encoder` knows 8 tokens",
    ],
    [
      "a batcher of encoded files",
      imageModel(""),
      "m/config.pbtxt:4:1 batch/rarely-merges: dynamic batching of `m` only merges requests of equal shape, but `image` contains encoded files, which differ in length",
    ],
    ["a ragged batcher of encoded files", imageModel("allow_ragged_batch: true"), ""],
    [
      "a batcher after padding to one length",
      batched(ensemble('padding="max_length", max_length=64', tokenizerJson(8))),
      "",
    ],
    [
      "a batcher after padding to a few lengths",
      batched(ensemble("padding=True, pad_to_multiple_of=32", tokenizerJson(8))),
      "",
    ],
  ])("%s", (_, files, says) => expect(showAdvice(files)).toBe(says));

  test("a batcher of encoded files does not need padding", () =>
    expect(adviceOn(imageModel("")).map(({ help }) => help)).toEqual([
      "files cannot be padded: write `allow_ragged_batch: true` in `image`, so that requests of any length arrive in one call, or remove `dynamic_batching`",
    ]));

  const fixed = (padding: string): Files => ({
    ...ensemble(padding, tokenizerJson(8)),
    "encoder/config.pbtxt": `backend: "onnxruntime" max_batch_size: 8
input { name: "input_ids" data_type: TYPE_INT64 dims: 128 }
output { name: "logits" data_type: TYPE_FP32 dims: [ -1, 2 ] }`,
  });
  test("reports padding to a length other than the model's", () =>
    expect(showAdvice(fixed('padding="max_length", max_length=512'))).toBe(
      "tokenizer/1/model.py:13:105 python/padding-length: `1/model.py` of `tokenizer` pads to 512 tokens, but `input_ids` of `encoder` has 128",
    ));
  test("accepts padding to the model's length", () =>
    expect(showAdvice(fixed('padding="max_length", max_length=128'))).toBe(""));

  const positions = (padding: string, more: Files = {}, rows = 512): Files => ({
    ...ensemble(padding, tokenizerJson(8), more),
    "encoder/1/model.onnx": withPositions(rows),
  });
  const own = (length: number): Files => ({
    "tokenizer/1/tokenizer_config.json": JSON.stringify({ model_max_length: length }),
  });
  const roberta = {
    "encoder/1/config.json": JSON.stringify({ model_type: "roberta", pad_token_id: 1, vocab_size: 8 }),
  };
  const cut = "padding=True, truncation=True";
  test.each([
    [
      "a call's length above the positions",
      positions(`${cut}, max_length=1024`),
      "tokenizer/1/model.py:13:21 model-file/max-length: `tokenizer/1/model.py` truncates at 1024 tokens, but `encoder` has 512 positions",
    ],
    ["a call's length that fits", positions(`${cut}, max_length=512`), ""],
    [
      "the tokenizer's own length above the positions",
      positions(cut, own(1024)),
      "tokenizer/1/tokenizer_config.json:1:1 model-file/max-length: `tokenizer/1/tokenizer_config.json` truncates at 1024 tokens, but `encoder` has 512 positions",
    ],
    ["the tokenizer's own length", positions(cut, own(512)), ""],
    [
      "a tokenizer without its own length",
      positions(cut, own(1e30)),
      "tokenizer/1/model.py:13:21 python/no-truncation: `tokenizer` does not truncate texts, but `encoder` has 512 positions",
    ],
    ["a tokenizer whose own length is unknown", positions(cut), ""],
    [
      "no truncation",
      positions("padding=True"),
      "tokenizer/1/model.py:13:21 python/no-truncation: `tokenizer` does not truncate texts, but `encoder` has 512 positions",
    ],
    ["a length that may truncate by itself", positions("padding=True, max_length=1024"), ""],
    [
      "positions that begin after the padding id",
      positions(`${cut}, max_length=514`, roberta, 514),
      "tokenizer/1/model.py:13:21 model-file/max-length: `tokenizer/1/model.py` truncates at 514 tokens, but `encoder` has 512 positions",
    ],
    [
      "as many positions as begin after the padding id",
      positions(`${cut}, max_length=512`, roberta, 514),
      "",
    ],
    [
      "positions of a config.json",
      ensemble("padding=True", tokenizerJson(8), {
        "tokenizer/1/config.json": JSON.stringify({ model_type: "bert", max_position_embeddings: 512 }),
      }),
      "tokenizer/1/model.py:13:21 python/no-truncation: `tokenizer` does not truncate texts, but `encoder` has 512 positions",
    ],
    [
      "positions of a config.json that begin after the padding id",
      ensemble("padding=True, truncation=True, max_length=514", tokenizerJson(8), {
        "tokenizer/1/config.json": JSON.stringify({ model_type: "xmod", max_position_embeddings: 514 }),
      }),
      "tokenizer/1/model.py:13:21 model-file/max-length: `tokenizer/1/model.py` truncates at 514 tokens, but `encoder` has 512 positions",
    ],
    [
      "relative positions of a config.json",
      ensemble("padding=True", tokenizerJson(8), {
        "tokenizer/1/config.json": JSON.stringify({ model_type: "t5", max_position_embeddings: 512 }),
      }),
      "",
    ],
  ])("%s", (_, files, says) => expect(showAdvice(files)).toBe(says));

  const inFolder = (expression: string, folder: string, more: Files = {}): Files => {
    const { "tokenizer/1/tokenizer.json": json = "", ...files } = ensemble("padding=True", tokenizerJson(10));
    const code = tokenizerCode("padding=True")
      .replace('args["model_repository"] + "/1"', expression)
      .replace("from transformers", "import os\nfrom pathlib import Path\nfrom transformers");
    return { ...files, "tokenizer/1/model.py": code, [`tokenizer/${folder}tokenizer.json`]: json, ...more };
  };
  test.each([
    ['os.path.join(args["model_repository"], args["model_version"], "tokenizer")', "1/tokenizer/"],
    ['os.path.join(args["model_repository"], "tokenizer")', "tokenizer/"],
    ['str(Path(__file__).parent / "tokenizer")', "1/tokenizer/"],
    ['Path(__file__).resolve().parent.joinpath("files", "tokenizer").as_posix()', "1/files/tokenizer/"],
    ['os.path.dirname(os.path.abspath(__file__)) + "/tokenizer/"', "1/tokenizer/"],
    ["f\"{args['model_repository']}/{args['model_version']}/tokenizer\"", "1/tokenizer/"],
    ['os.path.join(os.path.dirname(__file__), "..", "tokenizer")', "tokenizer/"],
  ])("finds the tokenizer at %s", (expression, folder) =>
    expect(showAdvice(inFolder(expression, folder))).toBe(
      `tokenizer/${folder}tokenizer.json:1:1 model-file/vocabulary: \`tokenizer/${folder}tokenizer.json\` has ids up to 9 (\`t9\`), but \`encoder\` knows 8 tokens`,
    ),
  );
  test.each([
    ['"bert-base-uncased"', "1/"],
    ['os.path.join(args["model_repository"], os.environ["TOKENIZER"])', "1/"],
    ['"/models/tokenizer"', "1/"],
    ['os.path.join(args["model_repository"], "..", "..", "tokenizer")', "1/"],
    ["f\"{args['model_repository']}/{args['model_version']!r}\"", "1/"],
  ])("reports nothing for a similar model: %s", (expression, folder) =>
    expect(showAdvice(inFolder(expression, folder))).toBe(""),
  );

  test("follows an ensemble within an ensemble", () => {
    const { "e/config.pbtxt": whole = "", ...files } = ensemble("padding=True", tokenizerJson(10));
    const inner = String(whole)
      .replace('"text" data_type: TYPE_STRING dims: 1', '"ids" data_type: TYPE_INT64 dims: -1')
      .replace(/ {2}step \{ model_name: "tokenizer".*\n/, "");
    const outer = String(whole)
      .replace('"encoder"', '"inner"')
      .replace(
        'key: "input_ids" value: "ids" } output_map { key: "logits"',
        'key: "ids" value: "ids" } output_map { key: "logits"',
      );
    expect(
      showAdvice({ ...files, "e/config.pbtxt": outer, "inner/config.pbtxt": inner, "inner/1/": "" }),
    ).toBe(
      "tokenizer/1/tokenizer.json:1:1 model-file/vocabulary: `tokenizer/1/tokenizer.json` has ids up to 9 (`t9`), but `encoder` knows 8 tokens",
    );
  });

  test("reports nothing about files when only configurations are checked", () =>
    expect(showAdvice(batched(ensemble("padding=True", tokenizerJson(10))), { configsOnly: true })).toBe(""));
});
