export { buildModel, type ModelBuilder, type ModelHeader, type ModelPort, valueInfo } from "./build-model.ts";
export { decodeModel, encodeModel } from "./codec.ts";
export { type EmbeddingSizes, embeddingSizes } from "./embedding-sizes.ts";
export {
  type AttributeProto,
  attributeTypes,
  type DimensionProto,
  type FunctionProto,
  type GraphProto,
  type Int64,
  type ModelProto,
  type NodeProto,
  type OperatorSetIdProto,
  type SparseTensorProto,
  type StringStringEntryProto,
  type TensorProto,
  type TensorShapeProto,
  type TensorTypeProto,
  type TypeProto,
  type ValueInfoProto,
} from "./model-proto.ts";
export { knownOnnxType, onnxTypeName } from "./onnx-types.ts";
export { type ReadAt, readModelOutline } from "./model-outline.ts";
export { type PortNames, renamePorts } from "./rename-ports.ts";
export {
  type BrokenOnnx,
  type OnnxPort,
  onnxSignature,
  type OnnxSignature,
  readOnnxModel,
  readOnnxSignature,
  type WholeModel,
} from "./read-signature.ts";
export {
  joinParts,
  namesIn,
  type OpsetRange,
  opsetsOf,
  renameGraph,
  sizeOf,
  type Splice,
  type SplicedPart,
  spliceModel,
} from "./splice-model.ts";
