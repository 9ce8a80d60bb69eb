import { inBackticks } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { modelPathOf, relativePathOf } from "../../python/model-py/model-paths.ts";
import { folderOf } from "../../python/model-py/model-py.ts";
import { namedExports, openedFiles } from "../../python/model-py/opened-files.ts";
import { reachedFrom } from "../../python/reached.ts";
import type { Rule } from "../../rule.ts";
import { pythonRule } from "./python-rule.ts";

/** A missing file that `initialize` reads from the model's folder. */
const missingAsset: Rule = pythonRule(
  {
    code: "python/missing-asset",
    judged: "live",
    atLoad: true,
    message: "`{path}` of `{model}` reads `{asset}` in the model's folder, which has no such file",
    help: "put the file there: `{folder}/{asset}`",
    reason:
      "`initialize` raises FileNotFoundError, so the model cannot be loaded. This is only checked if every load reaches the code, and if nothing in the file creates files or tests whether they exist.",
  },
  (file, report, model) => {
    const inEveryLoad = new Set(reachedFrom(file.model, ["initialize"]));
    for (const { call, path } of openedFiles(file)) {
      const asset = inEveryLoad.has(call) ? modelPathOf(path, file, model) : undefined;
      if (asset === undefined || asset === "" || isThere(model, asset)) continue;
      report(file.at(call.from, "FileNotFoundError"), { asset, folder: folderOf(model) });
    }
  },
);

const isThere = ({ list }: ModelContext, path: string): boolean => {
  const parts = path.split("/");
  const name = parts.pop();
  return list(parts.join("/"))?.some((entry) => entry.name === name) === true;
};

/** An ONNX file that optimum should load but that is not next to the others. */
const missingExport: Rule = pythonRule(
  {
    code: "python/missing-export",
    message:
      "`{path}` of `{model}` loads `{file}` from `{folder}`, which has other ONNX files but not this one",
    help: "put the file there, or name an existing one: {files}",
    reason:
      "optimum is lenient about the names of encoders and decoders. If another file in the folder fits, such as the one before quantization, optimum silently uses that file. Otherwise loading fails. This is only checked if the folder is in the repository and has ONNX files.",
  },
  (file, report, model) => {
    for (const { folder: source, place, name } of namedExports(file)) {
      const folder = modelPathOf(source, file, model);
      if (folder === undefined || name.kind !== "text" || name.value === undefined) continue;
      const files = (model.list(folder) ?? []).map((entry) => entry.name);
      const exports = files.filter((entry) => entry.endsWith(".onnx"));
      if (exports.length === 0 || name.value.includes("/") || files.includes(name.value)) continue;
      report(file.at(place.from, "does not exist"), {
        file: name.value,
        folder,
        files: inBackticks(exports),
      });
    }
  },
);

/** A file that is opened relative to the folder in which the server was started. */
const workingDirectory: Rule = pythonRule(
  {
    code: "python/working-directory",
    message: "`{path}` of `{model}` reads `{asset}` from the folder in which the server was started",
    help: 'put the file into the model\'s folder and use its path there: `os.path.join(args["model_repository"], "{asset}")`',
    reason:
      "A relative path is resolved against the server's working directory, not the model's folder: the model only loads if the server is started in the right folder.",
  },
  (file, report, model) => {
    for (const { call, path } of openedFiles(file)) {
      const asset = relativePathOf(path, file, model);
      if (asset !== undefined) report(file.at(call.from, "a relative path"), { asset });
    }
  },
);

export const openedFileRules: readonly Rule[] = [missingAsset, missingExport, workingDirectory];
