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
    reason: "A tensor keeps its datatype throughout an ensemble; Triton never casts.",
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
      "All declarations of a tensor must have equal sizes, or -1, with or without the batch axis. `reshape` counts for the ensemble's own tensors, but not for those of its steps.",
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
            `${known.full.length} axes compared with ${found.full.length}; the first is the batch if max_batch_size is not 0`,
          ],
  }),
);

export const tensorRules: readonly Rule[] = [dtypeRule, shapeRule];
