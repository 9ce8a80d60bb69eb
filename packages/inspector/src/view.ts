export { decodedName, elementCount, showType } from "@tritype/core";
export type * from "./api.ts";
export { inspectorPath } from "./api.ts";
export { exampleText, jsonProblem, schemaText } from "./view/json-text.ts";
export { type BoxForm, boxForms, type FoundBox } from "./view/boxes.ts";
export { findBoxes, type FoundBoxes } from "./view/find-boxes.ts";
export { type PlacedBox, type PlacedBoxes, placeBoxes, type Placing } from "./view/place-boxes.ts";
export { pictureText } from "./view/picture-text.ts";
export { pictureForm, pictureScalings, pixelsFor, scalingsOf } from "./view/picture-input.ts";
export type { PictureForm, PictureScaling, PictureValue } from "./view/picture-input.ts";
export { type ClassNames, classNamesOf, highestOf, nameOfClass } from "./view/class-names.ts";
export { parseNumbers } from "./view/not-finite.ts";
export {
  choicesOf,
  type FieldValue,
  fieldKind,
  JsonTextError,
  nestRows,
  requestBody,
  type RequestBody,
  startValue,
} from "./view/request-body.ts";
export { prettyJson } from "./view/pretty-json.ts";
export {
  copyOfSequence,
  placeAfter,
  sequenceParameters,
  type SequencePlace,
  type SequenceStep,
} from "./view/sequences.ts";
export { buildGraph, type ViewEdge, type ViewGraph, type ViewNode } from "./view/build-graph.ts";
export { bytesText, counted, durationText, numberText, showTensors } from "./view/texts.ts";
export { type FactChange, type ModelChange, changedInside, whatChanged } from "./view/what-changed.ts";
export { activityOf, type BatchSizes, batchSizesOf } from "./view/batch-sizes.ts";
export { type ProcessRow, processRows } from "./view/processes.ts";
export { columnTexts, type Reading, recentReadings } from "./view/live-texts.ts";
export { busiestOf } from "./view/busiest.ts";
export { type DecidingField, decidingFields } from "./view/deciding-fields.ts";
export { changedEdges, newSteps } from "./view/changed-edges.ts";
export { type FailureLine, failureLines } from "./view/failure-lines.ts";
export { placedErrors } from "./view/placed-errors.ts";
export { snippetOf, type SnippetLanguage } from "./view/snippets.ts";
export {
  failureText,
  isStream,
  notFinite,
  partKinds,
  placeText,
  type TimelineRow,
  slowestOf,
  timelineOf,
} from "./view/timeline.ts";
export { type MeasuredTimes, measuredText, measuredTimes, usuallySlowest } from "./view/step-times.ts";
export {
  compareIntegers,
  compareNumbers,
  compareTexts,
  compareTypes,
  different,
  type TensorComparison,
} from "./view/compare-values.ts";
export { compareContents } from "./view/compare-contents.ts";
export { comparisonSummary, comparisonText, failuresText } from "./view/comparison-texts.ts";
export {
  type ComparedPart,
  type ComparedTensor,
  compareRecordings,
  firstDifference,
  type FirstDifference,
  inputsOf,
  pathOf,
} from "./view/compare-recordings.ts";
