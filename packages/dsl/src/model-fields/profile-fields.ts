import type { DynamicBatching } from "./dynamic-batching.ts";
import type { InstanceGroup } from "./instance-group.ts";
import type { MetricControl } from "./metric-control.ts";
import type { Optimization } from "./optimization.ts";

/**
 * The fields that one profile of `pipeline.config.ts` overrides. A field here replaces the whole field with the same name; `null` removes
 * it, so that Triton's default applies. The graph, tensors, sizes and versions are the same in every profile.
 */
export interface ProfileFields {
  /** Where copies of the model run, and how many. */
  readonly instanceGroup?: readonly InstanceGroup[] | null;
  /** How the backend may speed up the model. */
  readonly optimization?: Optimization | null;
  /** The backend's own parameters. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>> | null;
  /** Merges requests into batches. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Answers identical requests from the server's cache, if it has one. */
  readonly responseCache?: {
    /** Enable it only if identical requests always have identical answers. */
    readonly enable: boolean;
  } | null;
  /** Labels for each of the model's metrics, in addition to `model` and `version`. */
  readonly metricTags?: Readonly<Record<string, string>> | null;
  /** Settings for the model's metrics. Since 24.11. */
  readonly modelMetrics?: {
    /** One entry for each metric with its own settings. */
    readonly metricControl: readonly MetricControl[];
  } | null;
}

/** The fields that one profile overrides for models without their own. */
export type MemberProfile = Pick<ProfileFields, "dynamicBatching" | "instanceGroup">;

/** The overrides of a profile for all models of a project, and known properties of the servers for which it is meant. */
export interface ProjectProfile extends MemberProfile {
  /** The number of processors of each server. `build` warns if instances have more threads than that. Default: unknown. */
  readonly cores?: number;
}

/** The fields of an ensemble itself that one profile overrides. */
export type EnsembleProfile = Pick<ProfileFields, "metricTags" | "parameters" | "responseCache">;
