import { modelRule, type Rule } from "../rule.ts";

export const missingProfile: Rule = modelRule(
  {
    code: "config/profile-missing",
    triton: [],
    severity: "warning",
    judged: "ours",
    reason:
      "For a model without `configs/<name>.pbtxt` Triton takes `config.pbtxt`, whatever `--model-config-name` says, and is silent about it.",
    message: "`{model}` has no configuration `{name}`: it is served as `config.pbtxt` says",
    help: "give it `configs/{name}.pbtxt`, if only as a copy of its `config.pbtxt`",
  },
  (model, report) => {
    const name = model.options.configName;
    if (name === undefined || !model.hasConfig || model.file.endsWith(`/configs/${name}.pbtxt`)) return;
    report({ with: { model: model.name, name }, labels: [model.at([], "this is read")] });
  },
);
