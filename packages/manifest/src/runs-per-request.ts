import { chainTwinSchema } from "./chain-options.ts";
import type { ManifestModel, ManifestTwin } from "./manifest.ts";

/** Whether a function in a model is a `batchStep`, which computes all rows of a request together. */
export const runsPerRequest = ({ twin, versions = [] }: ManifestModel): boolean =>
  [twin, ...versions.map((version) => version.twin)].some(isPerRequest);

const isPerRequest = (twin: Pick<ManifestTwin, "kind" | "options"> | undefined): boolean =>
  twin?.kind === "chain"
    ? chainTwinSchema.parse(twin.options).steps.some((step) => isPerRequest(step.twin))
    : twin?.options["per"] === "request";
