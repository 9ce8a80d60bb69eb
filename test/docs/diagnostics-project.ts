import { buildModel, decodeModel, encodeModel, type GraphProto, type ModelProto } from "@tritype/onnx";
import {
  doubleModel,
  embeddingModel,
  encoderModel,
  meanIdModel,
  scaleModel,
  torchscript,
} from "../fixtures/models.ts";
import { tinyExport } from "../fixtures/tiny-export.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** The project for the pages in docs/diagnostics, with the models, which a page cannot contain. */
export const diagnosticsProject = (): ProjectFixture =>
  makeProject({
    "models/encoder.onnx": encoderModel(),
    "models/encoder-batch-1.onnx": encoderModel({ batch: 1 }),
    ...tinyExport("bart", "models/bart"),
    "models/double.onnx": doubleModel(),
    "models/double-open.onnx": doubleModel("n"),
    "models/scale.onnx": scaleModel(3),
    "models/embedding.onnx": embeddingModel(),
    "models/mean-id.onnx": meanIdModel(),
    "models/double.pt": torchscript("double"),
    "models/classify.pt": torchscript("classify"),
    "models/fixed-size.pt": torchscript("fixed-size"),
    "models/scale.pt": torchscript("scale"),
    "models/weights.pt": torchscript("weights"),
    "models/opset-26.onnx": doubleModel(4, 26),
    "models/table.onnx": tableModel(),
    "models/complex.onnx": complexModel(),
    "models/external.onnx": externalModel("double.weights"),
    "models/outside.onnx": externalModel("../secret/double.weights"),
    "models/broken.onnx": "<!DOCTYPE html><title>Not Found</title>",
  });

const graphOf = (model: ModelProto): GraphProto => {
  if (model.graph === undefined) throw new Error("the model has no graph");
  return model.graph;
};

/** No input, FP32[4]. */
const tableModel = (): Uint8Array =>
  buildModel(
    { name: "table", inputs: [], outputs: [{ name: "row", type: { dtype: "FP32", dims: [4] } }] },
    (builder) => ({
      row: builder.constant({
        dtype: "FP32",
        shape: [4],
        data: new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer),
      }),
    }),
  );

const complex64 = 14;

/** FP32[batch, 4] → COMPLEX64[batch, 4] according to its signature. */
const complexModel = (): Uint8Array => {
  const model = decodeModel(doubleModel());
  const graph = graphOf(model);
  const output = (graph.output ?? []).map((port) => ({
    ...port,
    type: { tensorType: { ...port.type?.tensorType, elemType: complex64 } },
  }));
  return encodeModel({ ...model, graph: { ...graph, output } });
};

/** `double` with a weight in a missing file. */
const externalModel = (location: string): Uint8Array => {
  const model = decodeModel(doubleModel());
  const weight = {
    name: "weight",
    dataType: 1,
    dims: [4],
    dataLocation: 1,
    externalData: [{ key: "location", value: location }],
  };
  return encodeModel({ ...model, graph: { ...graphOf(model), initializer: [weight] } });
};
