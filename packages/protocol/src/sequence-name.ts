import { encodeUtf8, foreignError } from "@tritype/core";

/** @throws PipelineError `request/unsupported` for the name of a sequence that Triton does not keep. */
export const requireSequenceName = (name: string): void => {
  if (encodeUtf8(name).byteLength > 128)
    throw foreignError("request/unsupported", "string correlation ID cannot be longer than 128 characters");
};
