import { modelRule, type Rule } from "../rule.ts";

export const missingProfile: Rule = modelRule(
  {
    code: "config/profile-missing",
    reason:
      "If a model has no `configs/<name>.pbtxt`, Triton silently uses `config.pbtxt`, regardless of `--model-config-name`.",
    message: "`{model}` has no configuration `{name}`: it is served with `config.pbtxt`",
    help: "add `configs/{name}.pbtxt`, for example as a copy of its `config.pbtxt`",
  },
  (model, report) => {
    const name = model.options.configName;
    if (name === undefined || !model.hasConfig || model.file.endsWith(`/configs/${name}.pbtxt`)) return;
    report(model.at([], "this is read instead"), { name });
  },
);
