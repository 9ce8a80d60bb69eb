import { didYouMean, type PipelineError } from "@tritype/core";
import { usage } from "../command.ts";

/** The error for a named ensemble that the project does not export. */
export const unknownEnsemble = (name: string, ensembles: readonly string[]): PipelineError => {
  const near = didYouMean(name, ensembles);
  return usage(
    `there is no ensemble \`${name}\``,
    near === undefined ? `the project exports ${ensembles.join(", ")}` : `did you mean \`${near}\`?`,
  );
};
