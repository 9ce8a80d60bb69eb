import { siteSpan, type StepDefinition, type Translated } from "@tritype/core";
import { functionFiles, type FunctionTwinOptions } from "@tritype/manifest";
import { lowerDuration } from "@tritype/triton";
import { writtenAt } from "../check/check-declaration.ts";
import type { Found, ModelOptions, ReadStep, StepContext, StepKind, StepModel } from "../step-kind.ts";
import { textFile } from "../tree.ts";
import { checkFunctionDeclaration, refusalDiagnostic, sourceNotFound } from "./check-function.ts";
import { functionPython, neededSupport, reservedNames } from "./function-python.ts";
import { plain } from "../plain.ts";
import { onCpu } from "../python/on-cpu.ts";
import { acceptedTexts, jsonNames, tensorsOf } from "./function-tensors.ts";
import { linePlaces } from "./line-places.ts";
import type { Bundle, BundledFunction } from "../node/bundle.ts";
import { engineOf, type FunctionSettings } from "../node/function-settings.ts";
import { flowForms, functionForms } from "./function-forms.ts";
import { diagnose as diagnoseNode } from "../node/node-diagnostics.ts";
import { bundleRequest, readNodeFunction } from "../node/node-function.ts";
import type { StepTranslation, Translate, TranslationRequest } from "./translation.ts";

/** A function step's request to the translator; undefined if its source is unknown or its declaration is invalid. */
export const translationRequest = (step: StepDefinition): TranslationRequest | undefined => {
  const at = siteSpan(step.site);
  if (at === undefined || checkFunctionDeclaration(step).length > 0) return undefined;
  const options = twinOptions(step);
  return {
    at,
    options: {
      step: step.name,
      reserved: reservedNames(options),
      needs: neededSupport(options),
      per: options.per,
      json: { inputs: jsonNames(step.inputs), outputs: jsonNames(step.outputs) },
    },
  };
};

/** A Node function's request for the types of its JSON inputs; undefined as for {@link translationRequest}. */
export const typesRequest = (step: StepDefinition): TranslationRequest | undefined => {
  const { at, options } = translationRequest(step) ?? {};
  if (at === undefined || options === undefined) return undefined;
  const json = { ...options.json, outputs: [] };
  return { at, options: { ...options, reserved: [], needs: [], json, typesOnly: true } };
};

/** The settings for functions on Node. */
export interface NodeFunctions {
  readonly bundle: Bundle;
  readonly settings: FunctionSettings;
}

/** The kinds whose models are the author's functions. */
export const functionKinds = (
  translate: Translate,
  { bundle, settings }: NodeFunctions,
): readonly StepKind[] => {
  const bundles = new Map<string, BundledFunction>();
  const bundleOf: BundleOf = (step) => {
    const request = bundleRequest(step);
    if (request === undefined) return undefined;
    const key = JSON.stringify(request);
    const bundled = bundles.get(key) ?? bundle(request);
    bundles.set(key, bundled);
    return bundled;
  };
  const onNode: OnNode = (step, context) => {
    const request = typesRequest(step);
    const { jsonSchemas, jsonReaders } = (request && translate(request.at, request.options)) ?? {};
    const bundled = bundleOf(step);
    const accepts = acceptedTexts(step.inputs, jsonSchemas);
    const read = { bundled: bundled && { ...bundled, jsonReaders }, accepts };
    return readNodeFunction(step, twinOptions(step), read, settings, context);
  };
  return [functionKind(translate, onNode, settings), flowKind(onNode)];
};

type BundleOf = (step: StepDefinition) => BundledFunction | undefined;
type OnNode = (step: StepDefinition, context: StepContext) => Found<ReadStep>;

/** A function on Node that calls other models. */
const flowKind = (onNode: OnNode): StepKind => ({
  kind: "flow",
  refusals: "held",
  answersOnce: true,
  isAlwaysBatched: runsPerRow,
  options: flowForms,
  read(step, context) {
    const declared = checkFunctionDeclaration(step);
    if (declared.length > 0) return { diagnostics: declared };
    return onNode(step, context);
  },
});

/**
 * A TypeScript function becomes either a python model with its translation, with the function itself as the native
 * twin, or a python model that runs the function on Node.
 */
const functionKind = (translate: Translate, onNode: OnNode, settings: FunctionSettings): StepKind => {
  const known = new Map<string, StepTranslation>();
  const translationOf = (step: StepDefinition): StepTranslation | undefined => {
    const request = translationRequest(step);
    if (request === undefined) return undefined;
    const key = JSON.stringify(request);
    const translation = known.get(key) ?? translate(request.at, request.options);
    known.set(key, translation);
    return translation;
  };
  return {
    kind: "function",
    refusals: "held",
    answersOnce: true,
    isAlwaysBatched: runsPerRow,
    options: functionForms,
    read(step, context) {
      const declared = checkFunctionDeclaration(step);
      if (declared.length > 0) return { diagnostics: declared };
      if (engineOf(step, settings) === "node") return onNode(step, context);
      if (step.options["allow"] !== undefined)
        return {
          diagnostics: [
            diagnoseNode("node/allow-in-python", {
              with: { step: step.name },
              labels: writtenAt(step, "allow"),
            }),
          ],
        };
      const { batched } = context;
      const translation = translationOf(step);
      if (translation === undefined) return { diagnostics: [sourceNotFound(step)] };
      const { refusals, translated, jsonSchemas } = translation;
      return {
        diagnostics: refusals.map((refusal) => refusalDiagnostic(step, refusal)),
        value: translated && {
          model: (options) => emitFunction(step, translated, batched, options),
          sharesPython: true,
          accepts: acceptedTexts(step.inputs, jsonSchemas),
        },
      };
    },
  };
};

/** Whether a function runs once per row; the dims of its tensors then begin with "batch". */
const runsPerRow = ({ options }: StepDefinition): boolean => options["per"] === "row";

const emitFunction = (
  step: StepDefinition,
  translated: Translated,
  batched: boolean,
  { holdErrors }: ModelOptions,
): StepModel => {
  const options = twinOptions(step);
  const places = linePlaces(translated);
  const { text, linesBefore } = functionPython(options, translated, { holdErrors });
  const shifted = (lines: ReadonlyMap<number, string>, by: number): object =>
    Object.fromEntries([...lines].map(([line, place]) => [line + by, place]));
  const lines = {
    "model.py": shifted(places.python, linesBefore),
    [functionFiles.module]: shifted(places.javascript, 0),
  };
  return {
    config: onCpu(batched ? { dynamic_batching: {} } : {}),
    files: new Map([
      ["model.py", textFile(text)],
      [functionFiles.module, textFile(translated.javascript)],
      [functionFiles.lines, textFile(`${JSON.stringify(lines, null, 1)}\n`)],
    ]),
    requirements: ["numpy"],
    twin: { kind: "function", options: plain(options) },
    functions: places.functions,
  };
};

const defaultTimeLimit = "10s";

const twinOptions = ({ name, inputs, outputs, options }: StepDefinition): FunctionTwinOptions => ({
  step: name,
  per: options["per"] === "request" ? "request" : "row",
  timeLimit: lowerDuration(options["timeLimit"] ?? defaultTimeLimit) ?? 0,
  inputs: tensorsOf(inputs),
  outputs: tensorsOf(outputs),
});
