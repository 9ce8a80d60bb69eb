import { entryAt, insteadOf } from "../model/onnx-file.ts";
import { servedVersions } from "../model/served-versions.ts";
import { modelRule, type Rule } from "../rule.ts";

const missingFile = modelRule(
  {
    code: "model-file/missing-python",
    triton: ["32b"],
    atLoad: true,
    reason:
      "Triton starts a process even for a missing Python file, and waits until it times out; other models wait too.",
    message: "`{model}` has no file `{file}`",
    help: "put the model's code there, or name the existing file in `default_model_filename`",
  },
  (model, report) => {
    const { config, options, at } = model;
    if (config.backend !== "python" || options.configsOnly === true) return;
    const code = config.default_model_filename || "model.py";
    for (const version of servedVersions(model)) {
      const file = `${version}/${code}`;
      if (entryAt(model, file)?.kind !== "file")
        report(at(["default_model_filename"], `\`${file}\` is run`), {
          file,
          notes: insteadOf(model, file),
        });
    }
  },
);

const forceCpu = modelRule(
  {
    code: "python/force-cpu-value",
    triton: ["169"],
    atLoad: true,
    status: "Unsupported",
    reason: "The python backend only accepts `yes` or `no`.",
    words: "Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: {value}'",
    message: "FORCE_CPU_ONLY_INPUT_TENSORS of `{model}` is `{value}`",
    help: "write `yes` or `no`",
  },
  ({ config, at }, report) => {
    const parameter =
      config.backend === "python" ? config.parameters?.["FORCE_CPU_ONLY_INPUT_TENSORS"] : undefined;
    const value = parameter?.string_value ?? "";
    if (parameter !== undefined && value !== "yes" && value !== "no")
      report(at(["parameters", "FORCE_CPU_ONLY_INPUT_TENSORS", "string_value"], "neither yes nor no"), {
        value,
      });
  },
);

const modelDirectory = "$$TRITON_MODEL_DIRECTORY";

const environment = modelRule(
  {
    code: "python/environment",
    triton: ["170"],
    atLoad: true,
    status: "Internal",
    reason:
      "The python backend unpacks or opens the environment at EXECUTION_ENV_PATH before it starts the model.",
    words: {
      missing: "Failed to get the canonical path for {path}.",
      activate:
        "Path {path}/bin/activate does not exist. The Python environment should contain an 'activate' script.",
    },
    message: "the Python environment of `{model}` does not exist: {why}",
    help: "put an archive there, or a folder with `bin/activate`, as made by conda-pack",
  },
  (model, report) => {
    const { config, options, at } = model;
    const parameter = config.backend === "python" ? config.parameters?.["EXECUTION_ENV_PATH"] : undefined;
    const path = parameter?.string_value ?? "";
    // Other paths are files on the server, not in the repository.
    if (options.configsOnly === true || !path.startsWith(`${modelDirectory}/`)) return;
    const file = path
      .slice(modelDirectory.length + 1)
      .replaceAll(/\/+/g, "/")
      .replace(/\/$/, "");
    if (file.split("/").includes("..")) return;
    const found = entryAt(model, file);
    const activates = found?.kind === "folder" && entryAt(model, `${file}/bin/activate`) === undefined;
    if (found !== undefined && !activates) return;
    const why = activates ? `\`${file}\` has no \`bin/activate\`` : `the model has no \`${file}\``;
    report(at(["parameters", "EXECUTION_ENV_PATH", "string_value"], why), {
      why,
      path: path.replace(modelDirectory, model.path),
      words: activates ? "activate" : "missing",
    });
  },
);

export const pythonModelRules: readonly Rule[] = [missingFile, forceCpu, environment];
