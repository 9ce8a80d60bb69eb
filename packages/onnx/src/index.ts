export {
  buildModel,
  defaultOpset,
  type ModelBuilder,
  type ModelHeader,
  modelOf,
  type ModelPort,
  valueInfo,
} from "./build-model.ts";
export { decodeModel, encodeModel } from "./codec.ts";
export { graphsIn } from "./graphs-in.ts";
export { type EmbeddingSizes, embeddingSizes } from "./embedding-sizes.ts";
export {
  attributeTypes,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  type ValueInfoProto,
} from "./model-proto.ts";
export { knownOnnxType, onnxTypeName } from "./onnx-types.ts";
export { replacementOf, showKind } from "./non-tensor.ts";
export { readModelOutline } from "./model-outline.ts";
export { positionsBefore } from "./positions-before.ts";
export { renamePorts } from "./rename-ports.ts";
export {
  type OnnxPort,
  onnxSignature,
  type OnnxSignature,
  readOnnxModel,
  readOnnxSignature,
  type WholeModel,
} from "./read-signature.ts";
export { type UsedOperator, usedOperators } from "./used-operators.ts";
export {
  namesIn,
  type OpsetRange,
  opsetsOf,
  renameGraph,
  sizeOf,
  type Splice,
  type SplicedPart,
  spliceModel,
} from "./splice-model.ts";
