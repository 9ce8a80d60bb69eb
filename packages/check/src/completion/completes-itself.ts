import { decodeUtf8, remembered } from "@tritype/core";
import type { CheckedModel, ModelContext } from "../model-context.ts";
import { servedVersions } from "../model/served-versions.ts";

/**
 * Whether a model's own code or file may add something to its configuration that the check cannot see: `auto_complete_config` of a
 * Python model, or a backend that fills in missing parts. With `side`, only for its inputs or outputs.
 */
export const completesItself = ({ model, assumed }: CheckedModel, side?: "input" | "output"): boolean => {
  if (model.options.strict === true || model.config.platform === "ensemble") return false;
  const config = assumed ?? model.config;
  const empty = (side === undefined ? (["input", "output"] as const) : [side]).every(
    (either) => !config[either]?.length,
  );
  if (model.config.backend !== "python") return empty;
  const code = codeOf(model);
  return code === undefined
    ? empty && model.options.configsOnly === true
    : code.includes("auto_complete_config");
};

const codeOf = remembered((model: ModelContext): string | undefined => {
  const file = model.config.default_model_filename || "model.py";
  const texts = servedVersions(model).flatMap((version) => {
    const code = model.read(`${version}/${file}`);
    return code === undefined ? [] : [decodeUtf8(code)];
  });
  return texts.length === 0 ? undefined : texts.join("\n");
});
