export { attempt } from "./attempt.ts";
export { remembered } from "./remembered.ts";
export { shellWord } from "./shell-word.ts";
export { byContent } from "./by-content.ts";
export { parseExactJson, printExactJson } from "./exact-json.ts";
export { decodedName } from "./decoded-name.ts";
export { type Answers, answersOf } from "./answers.ts";
export { concatBytes, packByteStrings } from "./bytes.ts";
export { withToArray } from "./with-to-array.ts";
export {
  type DType,
  dtypeOfConfigName,
  dtypeOfOnnxType,
  dtypes,
  type FloatDType,
  type IntDType,
  isDType,
  type NumericDType,
} from "./dtype.ts";
export {
  type Diagnose,
  type Diagnostic,
  type DiagnosticEntry,
  defineDiagnostics,
  hasErrors,
  type Label,
  type Report,
  type Severity,
  sortDiagnostics,
} from "./diagnostic.ts";
export { didYouMean } from "./did-you-mean.ts";
export { guessHelp, nearHelp } from "./guess-help.ts";
export { counted } from "./counted.ts";
export { inBackticks } from "./in-backticks.ts";
export {
  defineErrors,
  type ErrorCode,
  type ErrorEntry,
  foreignError,
  InternalError,
  invariant,
  type MakeError,
  PipelineError,
  reworded,
} from "./error.ts";
export { generalError, generalErrors } from "./errors.ts";
export { notReadable, notWritable } from "./file-errors.ts";
export {
  type Callee,
  type Graph,
  type GraphNode,
  type InputNode,
  type Json,
  modelsCalledBy,
  type OperatorNode,
  type Port,
  type StepDefinition,
  type StepNode,
  siteSpan,
} from "./graph.ts";
export { groupBy } from "./group-by.ts";
export { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from "./half.ts";
export { identifierOf } from "./identifier-of.ts";
export type { OptionPath, OptionPlace } from "./option-place.ts";
export { hasLoneSurrogate, isByteString, isElement } from "./is-element.ts";
export { isObject } from "./is-object.ts";
export { mapDefined } from "./map-defined.ts";
export { messageOf } from "./message-of.ts";
export { parseObject } from "./parse-object.ts";
export { normalPackageName } from "./normal-package-name.ts";
export { meanOf } from "./mean.ts";
export { ownValue } from "./own-value.ts";
export { present } from "./present.ts";
export { percentile } from "./percentile.ts";
export { rounded } from "./rounded.ts";
export { isPropertyName, propertyName } from "./property-name.ts";
export { poissonGaps, random } from "./random.ts";
export { positionsIn, type TextPosition } from "./text-positions.ts";
export { requestPrefix } from "./request-prefix.ts";
export type { Site, Span } from "./span.ts";
export {
  type BytesTensor,
  byteLength,
  concatRows,
  joinRows,
  elementCount,
  elementSize,
  type FixedDType,
  type FixedTensor,
  type NamedTensors,
  printRawData,
  rawSize,
  rowsOf,
  type Scalar,
  sliceRows,
  splitRows,
  type TensorData,
  tensorOf,
  type TypedArray,
  typedArrayOf,
  typedArrays,
  valuesOf,
} from "./tensor-data.ts";
export {
  type Dim,
  type Dims,
  isOptional,
  isStream,
  type OptionalTensorType,
  type StreamTensorType,
  type Signature,
  showDim,
  showDims,
  showType,
  type TensorType,
  wireDims,
} from "./tensor-type.ts";
export type { MappedLine, Refusal, Translated } from "./translation.ts";
export { decodeUtf8, encodeUtf8, tryDecodeUtf8, withoutMark } from "./utf8.ts";
export { verifyGraph } from "./verify-graph.ts";
