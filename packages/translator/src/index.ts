export type { FileQuestion } from "./asked-files.ts";
export { findTensorConditions, type TensorCondition } from "./authored/tensor-conditions.ts";
export { findTypeErrors, type TypeError } from "./authored/type-errors.ts";
export { type JsonParser, javascriptParseAs, parseJson } from "./json/parse-json.ts";
export type { NamedShapes, Shape, ShapeProperty } from "./json/shape.ts";
export { type JsonWriter, writeJson } from "./json/write-json.ts";
export { builtins, properties } from "./builtins/table.ts";
export { refusalCodes } from "./refusals/refusals.ts";
export type { Reach, Reached } from "./reach.ts";
export { type RegExpRefusal } from "./regexp/refused.ts";
export {
  type RegExpGroup,
  type TranslatedRegExp,
  translateRegExp,
} from "./regexp/translate-regexp.ts";
export { openSources, type Sources, type SourcesOptions } from "./sources.ts";
export { selectSupport, type Support, supportNames } from "./support/select-support.ts";
export { type TranslateOptions, translateRun } from "./translate-run.ts";
export type { JsonShape, MappedLine, Place, Refusal, Translated, Translation } from "./translation.ts";
