import { counted, decodeUtf8, elementCount } from "@tritype/core";
import { type DataType, labelsIn } from "@tritype/triton";
import { labelFiles } from "../../config-rules/labels.ts";
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

/** Labels of an output that has more or fewer elements. */
export const labelCount: Rule = modelRule(
  {
    code: "tensor/label-count",
    message: "`{file}` has {labels}, but output `{name}` of `{model}` has {elements}",
    help: "write one line for each element, in the order of the elements",
    reason:
      "Triton loads the model with any number of labels. If a request asks for classes, an element without a label is returned without one, as `0.900000:2`. Labels after those of the last element are never used.",
  },
  (model, report) => {
    for (const { name, file, i } of labelFiles(model)) {
      const { dims = [], data_type: type = "TYPE_INVALID" } = model.config.output?.[i] ?? {};
      const text = model.read(file);
      if (text === undefined || dims.some((dim) => dim < 0) || type in unranked) continue;
      const labels = labelsIn(decodeUtf8(text)).length;
      const elements = elementCount(dims);
      if (labels === elements) continue;
      const shown = { labels: counted(labels, "label"), elements: counted(elements, "element") };
      report(
        [
          model.at(["output", i, "label_filename"], shown.labels),
          model.at(["output", i, "dims"], shown.elements),
        ],
        { name, file, ...shown },
      );
    }
  },
);
