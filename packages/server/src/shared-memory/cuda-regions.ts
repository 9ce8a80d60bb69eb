import { foreignError } from "@tritype/core";
import type { Regions } from "./regions.ts";

/**
 * The CUDA regions: always none. @param name The requested region; "" for all.
 * @throws PipelineError `model/not-found` with Triton's message for a name.
 */
export const cudaStatus = (regions: Regions, name: string): readonly never[] => {
  if (name === "") return [];
  throw foreignError(
    "model/not-found",
    regions.has(name)
      ? `The region named '${name}' is registered as system shared memory, not CUDA shared memory`
      : `Unable to find cuda shared memory region: '${name}'`,
  );
};

/** @throws PipelineError `request/invalid` with the message of a Triton built without GPU support. */
export const refuseCuda = (name: string): never => {
  throw foreignError(
    "request/invalid",
    `failed to register CUDA shared memory region: '${name}', GPUs not supported`,
    { help: "use system shared memory" },
  );
};
