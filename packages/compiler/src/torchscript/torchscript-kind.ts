import { type Diagnostic, type StepDefinition, showType } from "@tritype/core";
import { z } from "zod";
import { diagnoseBackend } from "../backends/backend-diagnostics.ts";
import { readBackendStep } from "../backends/read-backend-step.ts";
import { definedAt } from "../check/check-declaration.ts";
import { optionForms, optionsOf, perVersion } from "../check/check-option-forms.ts";
import { batchesByDefault } from "../emit/batches-by-default.ts";
import { placedFile } from "../files/placed-files.ts";
import type { StepContext, StepKind, TensorNames } from "../step-kind.ts";
import { checkTorchscriptFile } from "./check-torchscript.ts";

const options = {
  ...perVersion({ file: optionForms.path, standIn: optionForms.path }),
  naming: z.enum(["forward", "numbered"], 'must be "forward" or "numbered"'),
};

/** A TorchScript file on Triton's PyTorch backend, or one for each version. */
export const torchscriptKind: StepKind = {
  kind: "torchscript",
  options,
  profileOptions: ["useStandIn"],
  read: (step, context) =>
    readBackendStep(step, context, {
      backend: { backend: "pytorch", called: "the PyTorch backend" },
      option: "file",
      config: () => ({ default_model_filename: "model.pt", ...batchesByDefault(context) }),
      names: tensorNames(step),
      found: checkText(step, context),
      read(version) {
        const { file = "", naming } = optionsOf(version, options);
        return {
          diagnostics: checkTorchscriptFile(version, { file, byName: naming === "forward" }, context),
          value: { files: new Map(placedFile("model.pt", file, context.host)) },
        };
      },
    }),
};

/** `INPUT__0`: the number is the position among `forward`'s arguments, regardless of the name before it. */
const tensorNames = (step: StepDefinition): TensorNames | undefined => {
  const numbered = (names: readonly string[], side: string): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((name, index) => [name, `${side}__${index}`]));
  return optionsOf(step, options).naming === "forward"
    ? undefined
    : {
        inputs: numbered(Object.keys(step.inputs), "INPUT"),
        outputs: numbered(Object.keys(step.outputs), "OUTPUT"),
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
