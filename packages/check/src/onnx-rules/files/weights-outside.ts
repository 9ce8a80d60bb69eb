import type { ModelContext } from "../../model-context.ts";
import { folderOf } from "../../python/model-py/model-py.ts";
import { modelRule, type Rule, type RuleReport } from "../../rule.ts";
import { folderOfFile, onnxFiles } from "../../model/onnx-file.ts";
import { resolvePath } from "../../model/resolve-path.ts";

/**
 * The last release whose ONNX Runtime loads external data from any location. Measured with PyPI's ONNX Runtimes: 1.19.2
 * to 1.23.2 load every case below, and 1.24.1 to 1.32.0 refuse every case.
 */
const lastThatFollows = "26.01";
const firstThatRefuses = "26.02";
/**
 * ONNX Runtime 1.24.1 in that release also refuses a model and weights that are links into the same folder; 1.24.2
 * loads them again.
 */
const refusesCaches = "26.02";

const message = "the weights of `{file}` of `{model}` are in `{data}`, {how}";
const help =
  'put the external data file next to the .onnx file and make the file refer to it there: `onnx.save_model(onnx.load(path), path, save_as_external_data=True, location="model.onnx.data")`';

const outside = modelRule(
  {
    code: "onnx-model/external-data-outside",
    judged: "library",
    since: firstThatRefuses,
    message,
    help,
    reason:
      "As of 1.24.1, ONNX Runtime only loads external data from the folder of the .onnx file or its subfolders, so that a model cannot read other files on the server. A link that points outside is refused too; a link to a cache is allowed if the .onnx file is a link into the same folder.",
  },
  (model, report) => findOutside(model, report),
);

const outsideLater = modelRule(
  {
    code: "onnx-model/external-data-refused-later",
    severity: "warning",
    judged: "library",
    until: lastThatFollows,
    message,
    help,
    reason:
      "This release loads the model, but Triton 26.02 and later refuse it: as of 1.24.1, ONNX Runtime only loads external data from the folder of the .onnx file or its subfolders. In earlier releases, the model's author decides which file on the server is read.",
  },
  (model, report) => findOutside(model, report),
);

const findOutside = (
  model: ModelContext,
  report: RuleReport<{ readonly code: string; readonly severity: "error"; readonly message: typeof message }>,
): void => {
  for (const { path, found } of onnxFiles(model)) {
    if (found.kind !== "graph") continue;
    for (const data of found.graph.signature.externalFiles) {
      const how = waysOut(model, path, data);
      if (how === undefined) continue;
      const span = { file: `${folderOf(model)}/${path}`, line: 1, column: 1 };
      report({ span, text: "is loaded" }, { model: model.name, file: path, data, how });
    }
  }
};

const waysOut = (model: ModelContext, path: string, data: string): string | undefined => {
  if (data.startsWith("/")) return "which is an absolute path";
  const inside = resolvePath("", data);
  if (inside === undefined) return "which is outside its folder";
  return followsLinkOut(model, path, inside) ? "a link that leads out of its folder" : undefined;
};

const followsLinkOut = ({ realPath, options }: ModelContext, path: string, inside: string): boolean => {
  const folder = folderOfFile(path);
  const weights = realPath?.(`${folder}${inside}`);
  const own = realPath?.(folder.slice(0, -1));
  if (weights === undefined || own === undefined || weights.startsWith(`${own}/`)) return false;
  const real = realPath?.(path);
  const cache = real === undefined ? undefined : folderOfFile(real);
  return cache === undefined || !weights.startsWith(cache) || options.release.container === refusesCaches;
};

/** Weights that are not in the folder of the file that refers to them. */
export const weightsOutsideRules: readonly Rule[] = [outside, outsideLater];
