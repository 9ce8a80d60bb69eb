import { generalError, PipelineError } from "@tritype/core";

/** Why a file of the cache cannot be written. */
export const notWritable = (path: string, error: unknown): PipelineError =>
  PipelineError.is(error)
    ? error
    : generalError(
        "file/not-writable",
        { path, why: (error as Error).message.split(", ")[0] ?? "" },
        {
          cause: error,
          help: "free some space or fix its permissions, or set HF_HUB_CACHE to another folder",
        },
      );
