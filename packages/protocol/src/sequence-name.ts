import { encodeUtf8, foreignError } from "@tritype/core";

/** @throws PipelineError `request/unsupported` for a sequence name that Triton does not preserve. */
export const requireSequenceName = (name: string): void => {
  if (encodeUtf8(name).byteLength > 128)
    throw foreignError("request/unsupported", "string correlation ID cannot be longer than 128 characters");
};
