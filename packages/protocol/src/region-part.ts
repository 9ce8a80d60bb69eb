import { type JsonValue, jsonString, jsonUnsigned, optionalMember } from "./json-value.ts";
import type { RegionPart } from "./shared-tensors.ts";

/**
 * The part of a shared memory region that contains a tensor, if any. Source: `CheckSharedMemoryData` of Triton's
 * http_server.cc.
 * @throws PipelineError `request/malformed` for a parameter of another kind, even without a region.
 */
export const readRegionPart = (parameters: JsonValue | undefined): RegionPart | undefined => {
  const region = optionalMember(parameters, "shared_memory_region", jsonString);
  const offset = Number(optionalMember(parameters, "shared_memory_offset", jsonUnsigned) ?? 0);
  const byteSize = Number(optionalMember(parameters, "shared_memory_byte_size", jsonUnsigned) ?? 0);
  return region === undefined ? undefined : { region, offset, byteSize };
};
