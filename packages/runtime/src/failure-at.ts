import { foreignError, messageOf, PipelineError, reworded } from "@tritype/core";

/** The error, with its location added before its message; an error of an unknown kind counts as the model's failure. */
export const failureAt = (place: string, error: unknown): PipelineError => {
  const text = place + messageOf(error);
  return PipelineError.is(error)
    ? reworded(error, text, { cause: error })
    : foreignError("model/failed", text, { cause: error });
};
