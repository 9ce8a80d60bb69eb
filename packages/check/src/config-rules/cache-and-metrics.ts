import type { FieldPath } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

const cacheDecoupled = modelRule(
  {
    code: "cache/decoupled",
    triton: ["156"],
    severity: "error",
    judged: "live",
    reason: "The response cache keeps one response per request; a decoupled model may give many.",
    message: "`{model}` is decoupled and asks for the response cache",
    help: "leave `response_cache` out",
  },
  ({ written, name: model, at }, report) => {
    if (written.model_transaction_policy?.decoupled !== true || written.response_cache?.enable !== true)
      return;
    report({
      with: { model },
      labels: [
        at(["response_cache", "enable"], "cached"),
        at(["model_transaction_policy", "decoupled"], "decoupled"),
      ],
    });
  },
);

const metrics = modelRule(
  {
    code: "config/incomplete-metric",
    triton: ["158"],
    severity: "error",
    judged: "live",
    since: "24.11",
    reason:
      "A metric control says which family of metrics gets which buckets; without either it says nothing.",
    message: "metric control {i} of `{model}` lacks `{missing}`",
    help: "write `{missing}`, or leave the control out",
  },
  ({ config, name: model, at }, report) => {
    for (const [i, control] of (config.model_metrics?.metric_control ?? []).entries()) {
      const { metric_identifier: identifier, histogram_options: histogram } = control;
      const path: FieldPath = ["model_metrics", "metric_control", i];
      const checks: readonly (readonly [unknown, FieldPath, string])[] = [
        [identifier?.family, ["metric_identifier", "family"], "metric_identifier.family"],
        [histogram?.buckets?.length, ["histogram_options", "buckets"], "histogram_options.buckets"],
      ];
      for (const [given, inner, missing] of checks)
        if (!given)
          report({ with: { i, model, missing }, labels: [at([...path, ...inner], `no \`${missing}\``)] });
    }
  },
);

/** Families whose buckets a model may choose. Source: core `metric_model_reporter.cc`. */
const customizable = "nv_inference_first_response_histogram_ms";

const family = modelRule(
  {
    code: "config/metric-family",
    triton: ["158"],
    severity: "warning",
    judged: "ours",
    since: "24.11",
    reason: "Triton says in its log alone that it has no such family, and goes on with the usual buckets.",
    message: "metric family `{family}` of `{model}` has no buckets to choose",
    help: "the one that has is `nv_inference_first_response_histogram_ms`",
  },
  ({ config, name: model, at }, report) => {
    for (const [i, { metric_identifier: identifier }] of (
      config.model_metrics?.metric_control ?? []
    ).entries()) {
      const { family: name = "" } = identifier ?? {};
      if (name === "" || name === customizable) continue;
      report({
        with: { family: name, model },
        labels: [
          at(["model_metrics", "metric_control", i, "metric_identifier", "family"], "not one of those"),
        ],
      });
    }
  },
);

export const cacheAndMetricsRules: readonly Rule[] = [cacheDecoupled, metrics, family];
