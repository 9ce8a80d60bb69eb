import { guessHelp, type PipelineError } from "@tritype/core";
import { usage } from "../command.ts";

/** The error for a named ensemble that the project does not export. */
export const unknownEnsemble = (name: string, ensembles: readonly string[]): PipelineError => {
  return usage(
    `there is no ensemble \`${name}\``,
    guessHelp(name, ensembles, `the project exports ${ensembles.join(", ")}`),
  );
};
