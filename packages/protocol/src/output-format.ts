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
import { readRegionPart } from "./region-part.ts";
import type { SharedTensors } from "./shared-tensors.ts";

/** The format of the outputs of a response. */
export interface OutputFormat {
  /** Requested outputs, in order: binary data or JSON. Empty if the request named none. */
  readonly binary: ReadonlyMap<string, boolean>;
  /** The format for outputs that the request did not name. */
  readonly binaryByDefault: boolean;
}

/** The part of a request about its outputs. */
export interface RequestedOutputs extends OutputFormat {
  /** Outputs for which only the largest elements are requested, with the number of elements. */
  readonly classes: ReadonlyMap<string, number>;
}

/**
 * Reads `outputs` of a request; a name given twice counts once, as in Triton 2.51.
 * @throws PipelineError `request/malformed` or `request/invalid`; for shared memory, the errors of `SharedTensors`.
 */
export const readOutputFormat = (
  outputs: readonly JsonValue[],
  binaryByDefault: boolean,
  shared: SharedTensors,
): RequestedOutputs => {
  const read = outputs.map((output) => readOutput(output, shared));
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

const readOutput = (json: JsonValue, shared: SharedTensors): RequestedOutput => {
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
  const part = readRegionPart(parameters);
  if (part !== undefined) {
    shared.output(name, part);
    return { name, binary: false, classes };
  }
  const binary = optionalMember(parameters, "binary_data", jsonBool) ?? false;
  return { name, binary, classes };
};
