import { decodeUtf8 } from "@tritype/core";
import type { ModelContext } from "../model-context.ts";
import { servedVersions } from "../model/served-versions.ts";

/** Backends that complete individual tensor fields from the model's file. */
const fillers: ReadonlySet<string> = new Set(["tensorrt", "dali"]);

/** Whether a backend may add a missing datatype or missing dims to a tensor in the configuration. */
export const fillsTensors = (model: ModelContext): boolean => {
  const { config, options } = model;
  if (options.strict === true) return false;
  if (config.backend !== "python") return fillers.has(config.backend ?? "");
  if (options.configsOnly === true) return true;
  const file = config.default_model_filename || "model.py";
  return servedVersions(model).some((version) => {
    const code = model.read(`${version}/${file}`, codeLimit);
    return code !== undefined && decodeUtf8(code).includes("auto_complete_config");
  });
};

const codeLimit = 2 ** 20;
