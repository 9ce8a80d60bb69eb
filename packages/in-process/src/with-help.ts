import { reworded, PipelineError } from "@tritype/core";

/** Test runners show only the message of an error, so the help is appended to it. */
export const withHelp = (error: unknown): unknown => {
  if (!PipelineError.is(error) || error.help === undefined || error.message.includes(error.help))
    return error;
  return reworded(error, `${error.message}\n  = help: ${error.help}`, { cause: error.cause });
};
