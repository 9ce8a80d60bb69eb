import type { DynamicBatching } from "./dynamic-batching.ts";
import type { InstanceGroup } from "./instance-group.ts";
import type { MetricControl } from "./metric-control.ts";
import type { Optimization } from "./optimization.ts";

/**
 * What is otherwise in one profile of `pipeline.config.ts`. A field here takes the place of the whole field of the same name; `null`
 * takes it away, so that Triton's default holds. The graph, tensors, sizes and versions are the same in every profile.
 */
export interface ProfileFields {
  /** Where copies of the model run, and how many. */
  readonly instanceGroup?: readonly InstanceGroup[] | null;
  /** How the backend may speed the model up. */
  readonly optimization?: Optimization | null;
  /** The backend's own parameters. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>> | null;
  /** Merges requests into batches. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Answers equal requests from the server's cache, where it has one. */
  readonly responseCache?: {
    /** True only where equal requests have equal answers. */
    readonly enable: boolean;
  } | null;
  /** Labels that each of the model's metrics gets beside `model` and `version`. */
  readonly metricTags?: Readonly<Record<string, string>> | null;
  /** How the model's metrics count. Since 24.11. */
  readonly modelMetrics?: {
    /** One for each metric that counts otherwise. */
    readonly metricControl: readonly MetricControl[];
  } | null;
}

/** What is otherwise in one profile for models that do not say it themselves. */
export type MemberProfile = Pick<ProfileFields, "dynamicBatching" | "instanceGroup">;

/** What is otherwise in one profile of an ensemble itself. */
export type EnsembleProfile = Pick<ProfileFields, "metricTags" | "parameters" | "responseCache">;
