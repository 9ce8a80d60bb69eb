import { modelRule, type Rule } from "../../rule.ts";

/** Libraries of custom operators are found by the server's loader, never relative to the model's folder. */
export const opLibrary: Rule = modelRule(
  {
    code: "backend/op-library-not-found",
    triton: ["166"],
    judged: "recorded",
    message: "`{model}` needs the operator library `{library}`, which the server does not have",
    help: "write the absolute path of the library on the server's machine",
    reason:
      "The name is passed to `dlopen` unchanged, so relative paths are resolved against the server's working directory, not the model's folder.",
  },
  (model, report) => {
    const { config, options } = model;
    if (config.backend !== "onnxruntime" || options.installed === undefined) return;
    const { libraries } = options.installed;
    (config.model_operations?.op_library_filename ?? []).forEach((library, index) => {
      if (!libraries.includes(library))
        report(model.at(["model_operations", "op_library_filename", index], "here"), { library });
    });
  },
);
