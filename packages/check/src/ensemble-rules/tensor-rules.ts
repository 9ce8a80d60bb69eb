import type { Label } from "@tritype/core";
import { shapeText } from "../model/onnx-file.ts";
import type { Rule } from "../rule.ts";
import { problemRule } from "./problem-rule.ts";
import { showPlace, type TensorPlace } from "../model/tensor-place.ts";

const said = (place: TensorPlace): string => `${side(place)} says ${showPlace(place)}`;
const side = ({ model, side: direction, port }: TensorPlace): string =>
  `${direction} \`${port}\` of \`${model}\``;

type Pair = Readonly<Record<"known" | "found", TensorPlace>>;

const labelsOf = ({ known, found }: Pair): readonly Label[] => [
  found.label(said(found)),
  known.label(said(known)),
];

/** Two models declare a tensor differently. @param compared The part that Triton's message shows. */
const disagreement = ({ known, found }: Pair, compared: (place: TensorPlace) => string | number) => ({
  tensor: found.tensor,
  known: showPlace(known),
  found: showPlace(found),
  producer: known.model,
  model: found.model,
  first: compared(known),
  second: compared(found),
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
  (problem, _, report) =>
    report(
      labelsOf(problem),
      disagreement(problem, ({ dataType }) => dataType),
    ),
);

const shapeRule = problemRule(
  "shape",
  {
    code: "ensemble/shape",
    triton: ["122", "123"],
    reason:
      "All declarations of a tensor must have the same sizes, or -1, with or without the batch axis. `reshape` is taken into account for the ensemble's own tensors, but not for those of its steps.",
    words:
      "in ensemble {ensemble}, ensemble tensor {tensor}: inconsistent shape: {first:shape} is inferred from model {producer} while {second:shape} is inferred from model {model}",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {known} for `{producer}`, but {found} for `{model}`",
  },
  (problem, _, report) => {
    const [known, found] = [problem.known.full, problem.found.full];
    const axes = `${known.length} axes compared with ${found.length}; the first is the batch if max_batch_size is not 0`;
    report(labelsOf(problem), {
      ...disagreement(problem, ({ full }) => shapeText(full)),
      notes: known.length === found.length ? [] : [axes],
    });
  },
);

export const tensorRules: readonly Rule[] = [dtypeRule, shapeRule];
