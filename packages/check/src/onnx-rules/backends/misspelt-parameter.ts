import { graphLevel, meantParameter } from "@tritype/triton";
import { modelRule, type Rule } from "../../rule.ts";

/** A parameter that its backend does not read, although its name resembles one that the backend reads, or a field. */
export const misspeltParameter: Rule = modelRule(
  {
    code: "backend/misspelt-parameter",
    judged: "source",
    severity: "warning",
    message: "the {backend} backend ignores the parameter `{key}` of `{model}`, which it does not have",
    help: "did you mean `{meant}`?",
    reason:
      "A backend silently ignores parameters that it does not know, so the setting has no effect. Other names may be your own: clients can read all parameters in the model's configuration.",
  },
  (model, report) => {
    const { backend = "", parameters = {} } = model.config;
    for (const key of Object.keys(parameters)) {
      const meant = meantParameter(backend, key, model.options.release.container);
      const help =
        meant === graphLevel
          ? `set the field \`${graphLevel}\` instead: -1 for basic, 1 for extended and 0 for all optimizations`
          : undefined;
      if (meant !== undefined)
        report(model.at(["parameters", key], "is ignored"), { backend, key, meant, help });
    }
  },
);
