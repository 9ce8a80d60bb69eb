import { counted, type Diagnostic, type StepDefinition, showType } from "@tritype/core";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { notReadable, readModelFile } from "../backends/model-file.ts";
import { definedAt } from "../check/check-declaration.ts";
import { filledByTriton } from "../onnx/onnx-file.ts";
import type { StepContext } from "../step-kind.ts";
import {
  type ForwardArgument,
  readTorchscript,
  splitOutside,
  type TorchscriptSignature,
} from "./read-torchscript.ts";

/** Checks one version's file against the declaration. */
export const checkTorchscriptFile = (
  version: StepDefinition,
  given: { readonly file: string; readonly byName: boolean },
  { host, batched, maxBatchSize }: StepContext,
): readonly Diagnostic[] => {
  const { file, bytes, diagnostics } = readModelFile(version, given.file, host, "its TorchScript file");
  if (bytes === undefined) return diagnostics;
  const signature = readTorchscript(bytes);
  if (signature.problem !== undefined) return [notReadable(version, file, "a TorchScript file", signature)];
  return [
    ...checkInputs(version, given, signature),
    ...checkOutputs(version, file, signature),
    ...(batched && maxBatchSize > 1 ? checkSizes(version, file, signature) : []),
  ];
};

const checkSizes = (
  step: StepDefinition,
  file: string,
  { fixedSize }: TorchscriptSignature,
): readonly Diagnostic[] =>
  fixedSize === undefined
    ? []
    : [
        diagnoseBackend("torchscript/fixed-size", {
          with: {
            step: step.name,
            file,
            sizes: `[${fixedSize.sizes.join(", ")}]`,
            line: fixedSize.line,
            where: fixedSize.where.replace(/^__torch__\.|___torch_mangle_\d+\./g, ""),
          },
          labels: definedAt(step),
        }),
      ];

/**
 * The types for which the backend can create arguments. The backend passes every argument, even those with defaults,
 * and refuses a module with an argument of any other type. Source: `ModelInstanceState::ValidateInputs` in
 * pytorch_backend's `libtorch.cc`, 24.10 and later.
 */
const passable = /^(Tensor|List\[str\])$/;
const isDict = ({ type }: ForwardArgument): boolean => /^Dict\[str, Tensor\]$/.test(type);

const checkInputs = (
  step: StepDefinition,
  { file, byName }: { readonly file: string; readonly byName: boolean },
  { arguments: all }: TorchscriptSignature,
): readonly Diagnostic[] => {
  const at = { labels: definedAt(step) };
  const names = Object.keys(step.inputs);
  const wrong = (help: string): readonly Diagnostic[] => [
    diagnoseBackend("torchscript/inputs", {
      with: {
        step: step.name,
        declared: count(names, "input"),
        file,
        inputs: count(
          all.map(({ name }) => name),
          "argument",
        ),
      },
      ...at,
      help,
    }),
  ];
  if (all.length === 1 && all.some(isDict))
    return byName
      ? []
      : wrong(
          'it takes a dictionary: set `naming: "forward"` on the step, and declare inputs by the dictionary\'s keys',
        );
  const odd = all.find(({ type }) => !passable.test(type));
  if (odd !== undefined)
    return [
      diagnoseBackend("torchscript/argument-type", {
        with: { step: step.name, file, argument: odd.name, type: odd.type },
        ...at,
      }),
    ];
  const filled = [...filledByTriton(step)];
  if (byName) {
    const given = [...names, ...filled];
    const unknown = given.filter((name) => !all.some((argument) => argument.name === name));
    const missing = all.filter(({ name }) => !given.includes(name));
    return unknown.length + missing.length === 0
      ? []
      : wrong(
          "declare inputs with the arguments' names, or remove `naming`, so that the order is used instead",
        );
  }
  if (names.length + filled.length !== all.length)
    return wrong("declare one input for each argument, in the same order");
  const text = Object.entries(step.inputs).find(
    ([, type], index) => (type.dtype === "BYTES") !== (all[index]?.type === "List[str]"),
  );
  return text === undefined || filled.length > 0
    ? []
    : wrong(
        `\`${text[0]}\` is ${showType(text[1])}, but the argument at its position is \`${all[names.indexOf(text[0])]?.type ?? ""}\`: strings are List[str], everything else is a tensor`,
      );
};

const checkOutputs = (
  step: StepDefinition,
  file: string,
  { returns }: TorchscriptSignature,
): readonly Diagnostic[] => {
  const names = Object.keys(step.outputs);
  const tuple = /^Tuple\[(.*)\]$/s.exec(returns)?.[1];
  const most =
    tuple !== undefined ? splitOutside(tuple).length : /^(Tensor|List\[str\])$/.test(returns) ? 1 : Infinity;
  return names.length <= most
    ? []
    : [
        diagnoseBackend("torchscript/outputs", {
          with: { step: step.name, declared: count(names, "output"), file, returned: returns },
          labels: definedAt(step),
          help: `declare ${most === 1 ? "one output" : `at most ${most} outputs`}, in the order of what it returns`,
        }),
      ];
};

const count = (names: readonly string[], what: string): string =>
  `${counted(names.length, what)} (${names.join(", ")})`;
