import type { StepDefinition } from "@tritype/core";
import { authoredVersions } from "./authored-versions.ts";
import type { StepModel, StepVersion } from "./step-kind.ts";

/** A step's version 1, or the versions that it lists, as a kind makes each. */
export const emitVersions = (
  step: StepDefinition,
  emit: (version: StepDefinition) => StepVersion,
): Pick<StepModel, "files" | "prepared" | "twin" | "versions"> => {
  const listed = authoredVersions(step);
  return listed === undefined
    ? emit(step)
    : {
        files: new Map(),
        versions: new Map(listed.map(({ number, step: version }) => [number, emit(version)])),
      };
};
