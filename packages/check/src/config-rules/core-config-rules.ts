import type { Rule } from "../rule.ts";
import { agentRules } from "./agents.ts";
import { backendNameRules } from "./backend-names.ts";
import { backendRules } from "./backends.ts";
import { batchStrategyRules } from "./batch-strategy.ts";
import { batchTensorRules } from "./batch-tensors.ts";
import { batchingRules } from "./batching.ts";
import { cacheAndMetricsRules } from "./cache-and-metrics.ts";
import { instanceRules } from "./instances.ts";
import { labelRules } from "./labels.ts";
import { nameRules } from "./names.ts";
import { rateLimiterRules } from "./rate-limiter.ts";
import { reshapeRules } from "./reshapes.ts";
import { tensorRules } from "./tensors.ts";
import { versionRules } from "./versions.ts";

/** Faults in a model's configuration and folder that Triton's core refuses, in the order in which it finds those of each stage. */
export const coreConfigRules: readonly Rule[] = [
  ...nameRules,
  ...backendRules,
  ...backendNameRules,
  ...versionRules,
  ...instanceRules,
  ...tensorRules,
  ...reshapeRules,
  ...batchTensorRules,
  ...labelRules,
  ...batchingRules,
  ...batchStrategyRules,
  ...rateLimiterRules,
  ...cacheAndMetricsRules,
  ...agentRules,
];
