export type * from "./api.ts";
export { inspectorPath } from "./api.ts";
export {
  type FieldValue,
  fieldKind,
  requestBody,
  type RequestBody,
  startValue,
} from "./view/request-body.ts";
export { buildGraph, type ViewEdge, type ViewGraph, type ViewNode } from "./view/build-graph.ts";
export { bytesText, durationText, numberText, showTensor, showTensors } from "./view/texts.ts";
export { snippetOf, type SnippetLanguage } from "./view/snippets.ts";
export { type TimelineRow, timelineOf } from "./view/timeline.ts";
