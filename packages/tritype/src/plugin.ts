/**
 * For authors of step kinds: create steps with `makeStep` and compile them with a `StepKind` listed in `stepKinds` of
 * pipeline.config.ts.
 * @module
 */
export {
  type AcceptedValues,
  emitVersions,
  type FormIssue,
  type Found,
  type MadeTokens,
  type ModelOptions,
  type OptionFault,
  type OptionForm,
  type OptionForms,
  type ReadStep,
  type ReadVersions,
  readVersions,
  type Refusals,
  type StepContext,
  type StepKind,
  type StepModel,
  type StepVersion,
  type TakenTokens,
  type Tree,
  type TreeFile,
  textFile,
  type Twin,
} from "@tritype/compiler";
export {
  type Diagnose,
  type Diagnostic,
  type DiagnosticEntry,
  defineDiagnostics,
  type Json,
  type Label,
  type Site,
  type Span,
  type StepDefinition,
  siteSpan,
} from "@tritype/core";
export { makeStep, type StepOptions } from "@tritype/dsl";
export type { ModelConfig } from "@tritype/triton";
