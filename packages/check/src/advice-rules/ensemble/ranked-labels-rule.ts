import type { DataType } from "@tritype/triton";
import { modelRule, type Rule } from "../../rule.ts";

/**
 * What happens when a request asks for classes of such an output. Source: `TopkClassifications` of Triton's server, and
 * tests on a real server.
 */
const unranked: Readonly<Partial<Record<DataType, string>>> = {
  TYPE_STRING: "crashes the server",
  TYPE_BOOL: "is refused",
  TYPE_FP16: "is refused",
  TYPE_BF16: "is refused",
};

/** Labels of an output whose elements Triton cannot sort. */
export const rankedLabels: Rule = modelRule(
  {
    code: "tensor/unranked-labels",
    message:
      "output `{name}` of `{model}` has labels, but a request for classes of {type} elements {happens}: Triton cannot rank them",
    help: "return TYPE_FP32 scores with the labels, or remove `label_filename` and write the labels in the model",
    reason:
      'Labels are used by requests with `classification`. For TYPE_BOOL, TYPE_FP16 and TYPE_BF16, the response is "class result not available for output due to unsupported type". For TYPE_STRING, Triton divides by zero, which crashes the whole server.',
  },
  ({ config, at }, report) => {
    for (const [i, { name = "", data_type: type, label_filename: file }] of (config.output ?? []).entries()) {
      const happens = type && unranked[type];
      if (!file || type === undefined || happens === undefined) continue;
      report(
        [at(["output", i, "label_filename"], "labels"), at(["output", i, "data_type"], "cannot be ranked")],
        { name, type, happens },
      );
    }
  },
);
