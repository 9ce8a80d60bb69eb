import { encodeUtf8, PipelineError } from "@tritype/core";

/** @throws PipelineError `request/unsupported` for the name of a sequence that Triton does not keep. */
export const requireSequenceName = (name: string): void => {
  if (encodeUtf8(name).byteLength > 128)
    throw new PipelineError(
      "request/unsupported",
      "string correlation ID cannot be longer than 128 characters",
    );
};
