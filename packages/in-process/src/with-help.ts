import { PipelineError } from "@tritype/core";

/** Test runners show the message of an error and nothing else: the way out goes behind it. */
export const withHelp = (error: unknown): unknown => {
  if (!PipelineError.is(error) || error.help === undefined || error.message.includes(error.help))
    return error;
  const { code, message, help, cause } = error;
  return new PipelineError(code, `${message}\n  = help: ${help}`, {
    help,
    ...(cause === undefined ? {} : { cause }),
  });
};
