import { isDecoupled } from "@tritype/triton";
import type { FieldPath } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";

const cacheDecoupled = modelRule(
  {
    code: "cache/decoupled",
    triton: ["156"],
    reason: "The response cache keeps one response per request; a decoupled model may send many.",
    words:
      "Response Cache does not currently support model {model} with 'decoupled' transaction policy. Please disable the response cache.",
    message: "`{model}` is decoupled but uses the response cache",
    help: "remove `response_cache`",
  },
  ({ written, at }, report) => {
    if (!isDecoupled(written) || written.response_cache?.enable !== true) return;
    report([
      at(["response_cache", "enable"], "cached"),
      at(["model_transaction_policy", "decoupled"], "decoupled"),
    ]);
  },
);

const metrics = modelRule(
  {
    code: "config/incomplete-metric",
    triton: ["158"],
    since: "24.11",
    reason: "A metric control assigns buckets to a metric family, so it needs the buckets and the family.",
    message: "metric control {i} of `{model}` lacks `{missing}`",
    help: "write `{missing}`, or remove the control",
  },
  ({ config, at }, report) => {
    for (const [i, control] of (config.model_metrics?.metric_control ?? []).entries()) {
      const { metric_identifier: identifier, histogram_options: histogram } = control;
      const path: FieldPath = ["model_metrics", "metric_control", i];
      const checks: readonly (readonly [unknown, FieldPath, string])[] = [
        [identifier?.family, ["metric_identifier", "family"], "metric_identifier.family"],
        [histogram?.buckets?.length, ["histogram_options", "buckets"], "histogram_options.buckets"],
      ];
      for (const [given, inner, missing] of checks)
        if (!given) report(at([...path, ...inner], `no \`${missing}\``), { i, missing });
    }
  },
);

/** Families whose buckets a model may configure. Source: core `metric_model_reporter.cc`. */
const customizable = "nv_inference_first_response_histogram_ms";

const family = modelRule(
  {
    code: "config/metric-family",
    triton: ["158"],
    judged: "ours",
    since: "24.11",
    reason: "Triton only logs that it has no such family, and uses the default buckets.",
    message: "metric family `{family}` of `{model}` has no configurable buckets",
    help: "only `nv_inference_first_response_histogram_ms` has configurable buckets",
  },
  ({ config, at }, report) => {
    for (const [i, { metric_identifier: identifier }] of (
      config.model_metrics?.metric_control ?? []
    ).entries()) {
      const { family: name = "" } = identifier ?? {};
      if (name === "" || name === customizable) continue;
      report(
        at(["model_metrics", "metric_control", i, "metric_identifier", "family"], "no configurable buckets"),
        { family: name },
      );
    }
  },
);

const tagName = modelRule(
  {
    code: "config/metric-tag-name",
    triton: ["172"],
    reason:
      "Triton makes `_<key>` a label of the model's metrics; its metrics library throws on an invalid label, which crashes the server.",
    message: "metric tag `{tag}` of `{model}` is not a valid label name, which crashes the server",
    help: "use letters, digits and `_`, and do not begin with `_`",
  },
  ({ config, at }, report) => {
    for (const tag of Object.keys(config.metric_tags ?? {}))
      if (!/^(?!_)[A-Za-z0-9_]*$/.test(tag)) report(at(["metric_tags", tag], "becomes a label"), { tag });
  },
);

export const cacheAndMetricsRules: readonly Rule[] = [cacheDecoupled, tagName, metrics, family];
