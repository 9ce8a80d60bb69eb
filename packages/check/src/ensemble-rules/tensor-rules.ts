import type { Rule } from "../rule.ts";
import { problemRule } from "./problem-rule.ts";
import { showPlace, type TensorPlace } from "./tensor-place.ts";

const said = (place: TensorPlace): string => `${side(place)} says ${showPlace(place)}`;
const side = ({ model, side: direction, port }: TensorPlace): string =>
  `${direction} \`${port}\` of \`${model}\``;

const dtypeRule = problemRule(
  "dtype",
  {
    code: "ensemble/dtype",
    triton: ["121"],
    severity: "error",
    judged: "live",
    reason: "A tensor keeps its datatype all the way through an ensemble; Triton never casts.",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {known} for `{first}`, but {found} for `{second}`",
    help: "declare one datatype in both, or cast in between",
  },
  ({ known, found }, { model }) => ({
    with: {
      tensor: found.tensor,
      ensemble: model.name,
      known: showPlace(known),
      first: known.model,
      found: showPlace(found),
      second: found.model,
    },
    labels: [found.label(said(found)), known.label(said(known))],
  }),
);

const shapeRule = problemRule(
  "shape",
  {
    code: "ensemble/shape",
    triton: ["122", "123"],
    severity: "error",
    judged: "live",
    reason:
      "Along a tensor each pair of sizes must be equal or one of them -1, with or without the batch axes. An ensemble's own tensors count with their `reshape`, those of its steps without.",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {known} for `{first}`, but {found} for `{second}`",
  },
  ({ known, found }, { model }) => ({
    with: {
      tensor: found.tensor,
      ensemble: model.name,
      known: showPlace(known),
      first: known.model,
      found: showPlace(found),
      second: found.model,
    },
    labels: [found.label(said(found)), known.label(said(known))],
    notes:
      known.full.length === found.full.length
        ? []
        : [
            `${known.full.length} axes against ${found.full.length}; the first is the batch where max_batch_size is not 0`,
          ],
  }),
);

export const tensorRules: readonly Rule[] = [dtypeRule, shapeRule];
