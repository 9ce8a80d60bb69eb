import { modelRule, type Rule } from "../../rule.ts";
import { entryAt } from "../../model/onnx-file.ts";
import { servedVersions } from "../../model/served-versions.ts";

/** The file that a backend opens if the configuration names none, and other common names for such files. */
const modelFiles: ReadonlyMap<string, { readonly file: string; readonly like: RegExp }> = new Map([
  ["tensorrt", { file: "model.plan", like: /\.(?:plan|engine|trt)$/i }],
  ["pytorch", { file: "model.pt", like: /\.(?:pt|pth|torchscript)$/i }],
]);

/** Ignores a folder without such a file: the model may be added there later. */
export const otherFileName: Rule = modelRule(
  {
    code: "model-file/other-name",
    judged: "source",
    message: "`{model}` has no file `{file}`, only `{other}`",
    help: 'rename the file, or write `default_model_filename: "{name}"`',
    reason:
      "A backend only opens the file that the configuration names, or otherwise its default: `model.plan` for TensorRT, `model.pt` for PyTorch.",
  },
  (model, report) => {
    const { backend = "", platform = "", runtime = "", default_model_filename, ...config } = model.config;
    const known = modelFiles.get(backend);
    // File names per compute capability depend on the server's GPU; AOTInductor packages have a different name.
    const unsure = Object.keys(config.cc_model_filenames ?? {}).length > 0 || platform === "torch_aoti";
    if (known === undefined || runtime !== "" || unsure) return;
    const named = default_model_filename || known.file;
    for (const version of servedVersions(model)) {
      const file = `${version}/${named}`;
      if (named.split("/").includes("..") || entryAt(model, file) !== undefined) continue;
      const name = model
        .list(version)
        ?.find((entry) => entry.kind === "file" && known.like.test(entry.name))?.name;
      if (name === undefined) continue;
      report(model.at(["default_model_filename"], `\`${file}\` is loaded`), {
        file,
        other: `${version}/${name}`,
        name,
      });
    }
  },
);
