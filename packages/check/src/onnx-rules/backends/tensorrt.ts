import { modelRule, type Rule } from "../../rule.ts";

const key = "execution_context_allocation_strategy";
const strategies = ["STATIC", "ON_PROFILE_CHANGE"];

const allocationStrategy = modelRule(
  {
    code: "backend/tensorrt-allocation-strategy",
    triton: ["168"],
    judged: "source",
    since: "25.05",
    message: "parameter `{key}` of `{model}` is `{value}`; it must be STATIC or ON_PROFILE_CHANGE",
    help: "write one of the two in capitals, or remove the parameter, which defaults to STATIC",
    reason: "The TensorRT backend compares the value exactly.",
  },
  (model, report) => {
    const { backend, parameters = {} } = model.config;
    if (backend !== "tensorrt" || !Object.hasOwn(parameters, key)) return;
    const value = parameters[key]?.string_value ?? "";
    if (!strategies.includes(value)) report(model.at(["parameters", key], "here"), { key, value });
  },
);

/**
 * The TensorRT backend's checks that do not need a plan. Rule 174 needs the plan, which only TensorRT can read, so it is not
 * checked.
 */
export const tensorrtRules: readonly Rule[] = [allocationStrategy];
