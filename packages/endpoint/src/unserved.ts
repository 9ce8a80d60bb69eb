import type { ModelStatus } from "@tritype/runtime";
import { endpointError } from "./errors.ts";

/** A sentence that states that `embed` cannot be served, and why. */
export const whyUnserved = ({ name, reason = "reason unknown" }: ModelStatus, verb = "served"): string =>
  `\`${name}\` cannot be ${verb}: ${reason}`;

/** @throws PipelineError `model/unavailable` for the first model that is not ready. @param say Creates the error message. */
export const refuseUnserved = (
  models: readonly ModelStatus[],
  say: (broken: ModelStatus) => string = whyUnserved,
): void => {
  const broken = models.find(({ state }) => state !== "READY");
  if (broken === undefined) return;
  throw endpointError("model/not-served", { reason: say(broken) }, { help: broken.help });
};
