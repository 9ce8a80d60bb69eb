import { shapeText } from "../model/onnx-file.ts";
import type { Rule } from "../rule.ts";
import { problemRule } from "./problem-rule.ts";
import { showPlace, type TensorPlace } from "../model/tensor-place.ts";

const said = (place: TensorPlace): string => `${side(place)} says ${showPlace(place)}`;
const side = ({ model, side: direction, port }: TensorPlace): string =>
  `${direction} \`${port}\` of \`${model}\``;

/** Two models declare a tensor differently. @param compared The part that Triton's message shows. */
const disagreement = (
  { known, found }: Readonly<Record<"known" | "found", TensorPlace>>,
  ensemble: string,
  compared: (place: TensorPlace) => string | number,
) => ({
  with: {
    tensor: found.tensor,
    ensemble,
    known: showPlace(known),
    found: showPlace(found),
    producer: known.model,
    model: found.model,
    first: compared(known),
    second: compared(found),
  },
  labels: [found.label(said(found)), known.label(said(known))],
});

const dtypeRule = problemRule(
  "dtype",
  {
    code: "ensemble/dtype",
    triton: ["121"],
    reason: "A tensor keeps its datatype throughout an ensemble; Triton never casts.",
    words:
      "in ensemble {ensemble}, ensemble tensor {tensor}: inconsistent data type: {first} is inferred from model {producer} while {second} is inferred from model {model}",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {known} for `{producer}`, but {found} for `{model}`",
    help: "declare one datatype in both, or cast in between",
  },
  (problem, { model }) => disagreement(problem, model.name, ({ dataType }) => dataType),
);

const shapeRule = problemRule(
  "shape",
  {
    code: "ensemble/shape",
    triton: ["122", "123"],
    reason:
      "All declarations of a tensor must have equal sizes, or -1, with or without the batch axis. `reshape` counts for the ensemble's own tensors, but not for those of its steps.",
    words:
      "in ensemble {ensemble}, ensemble tensor {tensor}: inconsistent shape: {first:shape} is inferred from model {producer} while {second:shape} is inferred from model {model}",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {known} for `{producer}`, but {found} for `{model}`",
  },
  (problem, { model }) => {
    const { known, found } = problem;
    return {
      ...disagreement(problem, model.name, ({ full }) => shapeText(full)),
      notes:
        known.full.length === found.full.length
          ? []
          : [
              `${known.full.length} axes compared with ${found.full.length}; the first is the batch if max_batch_size is not 0`,
            ],
    };
  },
);

export const tensorRules: readonly Rule[] = [dtypeRule, shapeRule];
