import { foreignError } from "@tritype/core";
import {
  invalid,
  type JsonValue,
  jsonBool,
  jsonString,
  jsonUnsigned,
  memberOf,
  optionalMember,
  requireMember,
} from "./json-value.ts";

/** The format of the outputs of a response. */
export interface OutputFormat {
  /** Requested outputs, in order: binary data or JSON. Empty if the request named none. */
  readonly binary: ReadonlyMap<string, boolean>;
  /** For outputs that the request did not name. */
  readonly binaryByDefault: boolean;
}

/** The part of a request about its outputs. */
export interface RequestedOutputs extends OutputFormat {
  /** Outputs for which only the largest elements are requested, and how many. */
  readonly classes: ReadonlyMap<string, number>;
}

/**
 * Reads `outputs` of a request; a name given twice counts once, as in Triton 2.51.
 * @throws PipelineError `request/malformed`, `request/invalid`; `model/not-found` for a shared memory region.
 */
export const readOutputFormat = (
  outputs: readonly JsonValue[],
  binaryByDefault: boolean,
): RequestedOutputs => {
  const read = outputs.map(readOutput);
  return {
    binary: new Map(read.map(({ name, binary }) => [name, binary])),
    binaryByDefault,
    classes: new Map(read.flatMap(({ name, classes }) => (classes > 0 ? [[name, classes] as const] : []))),
  };
};

interface RequestedOutput {
  readonly name: string;
  readonly binary: boolean;
  readonly classes: number;
}

const readOutput = (json: JsonValue): RequestedOutput => {
  const parameters = memberOf(json, "parameters");
  const region = memberOf(parameters, "shared_memory_region");
  if (region !== undefined && memberOf(parameters, "classification") !== undefined)
    throw invalid("Output can't set both 'shared_memory_region' and 'classification'");
  if (
    region !== undefined &&
    optionalMember(parameters, "binary_data", jsonBool, "Unable to set 'binary_data'")
  )
    throw invalid("Output can't set both 'shared_memory_region' and 'binary_data'");
  const name = requireMember(json, "name", jsonString);
  const classes = Number(
    optionalMember(parameters, "classification", jsonUnsigned, "Unable to set 'classification'") ?? 0,
  );
  const regionName = optionalMember(parameters, "shared_memory_region", jsonString);
  if (regionName !== undefined)
    throw foreignError("model/not-found", `Unable to find shared memory region: '${regionName}'`);
  const binary = optionalMember(parameters, "binary_data", jsonBool) ?? false;
  return { name, binary, classes };
};
