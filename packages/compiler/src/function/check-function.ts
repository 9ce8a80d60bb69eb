import {
  type Diagnostic,
  invariant,
  type Signature,
  showType,
  siteSpan,
  type StepDefinition,
  type Refusal,
} from "@tritype/core";
import { lowerDuration } from "@tritype/triton";
import { isBatched, tensorAt, writtenAt } from "../check/check-declaration.ts";
import { showValue } from "../warmup/show-value.ts";
import { diagnose } from "./function-diagnostics.ts";
import { diagnoseRefusal, isRefusalCode } from "./refusal-diagnostics.ts";

/** The checks of a function step that do not need the translated function. */
export const checkFunctionDeclaration = (step: StepDefinition): readonly Diagnostic[] => [
  ...checkTensors(step, step.inputs),
  ...checkTensors(step, step.outputs),
  ...checkTimeLimit(step),
];

const checkTensors = (step: StepDefinition, signature: Signature): readonly Diagnostic[] =>
  Object.entries(signature).flatMap(([tensor, type]): readonly Diagnostic[] => {
    const labels = tensorAt(step, tensor);
    if (type.dtype === "BF16")
      return [diagnose("function/no-bf16", { with: { step: step.name, tensor }, labels })];
    if (step.options["per"] === "row" && !isBatched(step))
      return [
        diagnose("function/not-batched", {
          with: {
            step: step.name,
            tensor,
            type: showType(type),
            kind: step.kind === "flow" ? "flow" : "step",
          },
          labels,
          ...(step.kind === "flow"
            ? { help: 'put "batch" first: a row may have any number of elements, as in bytes("batch", "n")' }
            : {}),
        }),
      ];
    return [];
  });

const checkTimeLimit = (step: StepDefinition): readonly Diagnostic[] => {
  const { timeLimit } = step.options;
  if (timeLimit === undefined || (lowerDuration(timeLimit) ?? 0) > 0) return [];
  return [
    diagnose("function/time-limit", {
      with: { step: step.name, got: showValue(timeLimit) },
      labels: writtenAt(step, "timeLimit"),
    }),
  ];
};

/** Shows a refusal at its position, and at that of the step that needs the construct if it is in another file. */
export const refusalDiagnostic = (
  step: StepDefinition,
  { code, at, what, instead, neverOnNode }: Refusal,
): Diagnostic => {
  const definition = siteSpan(step.site);
  const elsewhere = definition !== undefined && definition.file !== at.file;
  invariant(isRefusalCode(code), `no diagnostic ${code}`);
  return diagnoseRefusal(code, {
    with: { step: step.name, what, instead },
    labels: [
      { span: { file: at.file, line: at.line, column: at.column }, text: "cannot be translated" },
      ...(elsewhere ? [{ span: definition, text: "needed by this step" }] : []),
    ],
    ...(neverOnNode === true ? { help: `use ${instead}` } : {}),
  });
};

/** The step was created by code outside the project, or by a bundle without a source map. */
export const sourceNotFound = (step: StepDefinition): Diagnostic => {
  const instead = "call step() in a TypeScript file inside the project's root; bundle with source maps";
  return diagnoseRefusal("function/not-found", {
    with: { step: step.name, what: "its source is not a file in the project", instead },
    labels: [],
    help: instead,
  });
};
