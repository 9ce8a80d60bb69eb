import { expect, it } from "vitest";
import type { ModelConfig } from "./generated/model-config.ts";
import { inferBackend } from "./infer-backend.ts";

type Row = readonly [config: ModelConfig, files: readonly string[], added: ModelConfig];
const onnx: ModelConfig = {
  backend: "onnxruntime",
  platform: "onnxruntime_onnx",
  default_model_filename: "model.onnx",
};

// Every row was measured with Triton 24.10; models that it refused (nothing added) are shown unchanged.
const rows: readonly Row[] = [
  [{ backend: "python" }, [], { default_model_filename: "model.py" }],
  [{ backend: "python", platform: "anything" }, [], { default_model_filename: "model.py" }],
  [
    { backend: "python", platform: "onnxruntime_onnx" },
    ["model.onnx"],
    { default_model_filename: "model.py" },
  ],
  [{ backend: "identity", platform: "onnxruntime_onnx" }, [], {}],
  [{ backend: "onnxruntime" }, ["model.py"], onnx],
  [{ platform: "onnxruntime_onnx" }, [], onnx],
  [{ backend: "tensorrt" }, [], { platform: "tensorrt_plan", default_model_filename: "model.plan" }],
  [{ backend: "openvino" }, [], { default_model_filename: "model.xml" }],
  [{ platform: "pytorch_libtorch" }, [], { backend: "pytorch", default_model_filename: "model.pt" }],
  [{ backend: "pytorch", default_model_filename: "x.pt" }, [], { platform: "pytorch_libtorch" }],
  [
    { platform: "tensorflow_graphdef" },
    [],
    { backend: "tensorflow", default_model_filename: "model.graphdef" },
  ],
  [
    { backend: "openvino", platform: "tensorflow_savedmodel" },
    [],
    { default_model_filename: "model.savedmodel" },
  ],
  [{ backend: "tensorflow" }, ["model.onnx"], {}],
  [
    { backend: "tensorflow" },
    ["model.savedmodel"],
    { platform: "tensorflow_savedmodel", default_model_filename: "model.savedmodel" },
  ],
  [{}, ["model.onnx"], onnx],
  [{}, ["model.py"], { backend: "python", default_model_filename: "model.py" }],
  [{ default_model_filename: "model.onnx" }, [], onnx],
  [{ name: "x.python" }, ["model.onnx"], onnx],
  [{ name: "x.onnxruntime" }, ["whatever"], { backend: "onnxruntime" }],
  [{ name: "a.b.c" }, [], { backend: "b.c" }],
  [{ name: "x.onnxruntime", default_model_filename: "foo.onnx" }, [], {}],
  [{ backend: "identity" }, ["model.onnx"], {}],
  [{ platform: "ensemble" }, ["model.onnx"], {}],
];

it.each(rows)("completes %j with %j in the folder", (config, files, added) => {
  expect(inferBackend(config, files)).toEqual({ ...config, ...added });
});
