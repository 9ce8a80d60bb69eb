import { guessHelp, inBackticks, type PipelineError } from "@tritype/core";
import { usage } from "./command.ts";

/**
 * The error for a name on the command line that does not exist. Its help is the closest known name, or else `otherwise`.
 * @param kind "ensemble"
 */
export const unknownName = (
  kind: string,
  name: string,
  known: readonly string[],
  otherwise: string = known.length === 0 ? "the project has none" : `the project has ${inBackticks(known)}`,
): PipelineError => usage(`there is no ${kind} \`${name}\``, guessHelp(name, known, otherwise));
