import { type Diagnostic, type StepDefinition, showType } from "@tritype/core";
import { z } from "zod";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { readBackendStep } from "../backends/read-backend-step.ts";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms } from "../check/check-option-forms.ts";
import { placedFile } from "../files/placed-files.ts";
import type { StepContext, StepKind, TensorNames } from "../step-kind.ts";
import { checkTorchscriptFile } from "./check-torchscript.ts";

/** A TorchScript file on Triton's PyTorch backend, or one for each version. */
export const torchscriptKind: StepKind = {
  kind: "torchscript",
  options: {
    file: optionForms.any,
    versions: optionForms.any,
    standIn: optionForms.path,
    naming: z.enum(["forward", "numbered"], 'must be "forward" or "numbered"'),
  },
  profileOptions: ["useStandIn"],
  read: (step, context) =>
    readBackendStep(step, context, {
      backend: { backend: "pytorch", called: "the PyTorch backend" },
      option: "file",
      config: () => ({ default_model_filename: "model.pt" }),
      names: tensorNames(step),
      found: checkText(step, context),
      read: (version) => ({
        diagnostics: checkTorchscriptFile(version, context),
        value: { files: new Map(placedFile("model.pt", String(version.options["file"]), context.host)) },
      }),
    }),
};

/** `INPUT__0`: the number is the position among `forward`'s arguments, whatever comes before it. */
const tensorNames = ({ inputs, outputs, options }: StepDefinition): TensorNames | undefined => {
  const numbered = (names: readonly string[], side: string): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((name, index) => [name, `${side}__${index}`]));
  return options["naming"] === "forward"
    ? undefined
    : {
        inputs: numbered(Object.keys(inputs), "INPUT"),
        outputs: numbered(Object.keys(outputs), "OUTPUT"),
      };
};

/** Texts become a List[str] (Triton's rule 64). */
const checkText = (step: StepDefinition, { batched }: StepContext): readonly Diagnostic[] =>
  [...Object.entries(step.inputs), ...Object.entries(step.outputs)]
    .filter(([, { dtype, dims }]) => dtype === "BYTES" && dims.length - (batched ? 1 : 0) > 1)
    .map(([tensor, type]) =>
      diagnoseBackend("step-tensor/text-rank", {
        with: { step: step.name, tensor, type: showType(type) },
        labels: definedAt(step),
      }),
    );
