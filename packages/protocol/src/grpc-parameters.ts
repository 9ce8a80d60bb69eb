import { ownValue } from "@tritype/core";
import { type GrpcParameter, type GrpcParameters, readGrpcParameters } from "./grpc-messages.ts";
import type { Parameters } from "./infer.ts";
import { doubleOf, invalid } from "./json-value.ts";
import { requireSequenceName } from "./sequence-name.ts";
import type { RegionPart } from "./shared-tensors.ts";

type Choice = NonNullable<GrpcParameter["parameter_choice"]>;

/** The allowed values of a parameter that Triton knows, as in its error messages. */
const known: Readonly<Record<string, { readonly choices: readonly Choice[]; readonly expected: string }>> = {
  sequence_id: { choices: ["int64_param", "string_param"], expected: "int64_param or string_param" },
  sequence_start: { choices: ["bool_param"], expected: "bool_param" },
  sequence_end: { choices: ["bool_param"], expected: "bool_param" },
  priority: { choices: ["int64_param", "uint64_param"], expected: "int64_param or uint64_param" },
  timeout: { choices: ["int64_param"], expected: "int64_param" },
  triton_enable_empty_final_response: { choices: ["bool_param"], expected: "bool_param" },
};
const ofUsers: (typeof known)[string] = {
  choices: ["int64_param", "bool_param", "string_param", "double_param"],
  expected: "int64_param, bool_param, or string_param",
};

/**
 * The request's own parameters. Source: `SetInferenceRequestMetadata` of Triton's gRPC service.
 * @throws PipelineError with Triton's message.
 */
export const readRequestParameters = (parameters: GrpcParameters): Parameters => {
  for (const [name, parameter] of Object.entries(parameters)) requireParameter(name, parameter);
  const read = Object.entries(readGrpcParameters(parameters));
  // In a request, an int64 is a number or a bigint.
  const isDouble = (name: string): boolean => parameters[name]?.parameter_choice === "double_param";
  return Object.fromEntries(
    read.map(([name, value]) => [name, isDouble(name) ? doubleOf(Number(value)) : value]),
  );
};

/**
 * Number of requested classes of an output; undefined for all of its elements.
 * @throws PipelineError `request/invalid`
 */
export const readClasses = (parameters: GrpcParameters): number | undefined => {
  const given = ownValue(parameters, "classification");
  if (given === undefined) return undefined;
  if (given.parameter_choice !== "int64_param")
    throw invalid("invalid value type for 'classification' parameter, expected int64_param");
  const count = Number(given.int64_param);
  if (count <= 0) throw invalid("invalid value for 'classification' parameter, expected >= 0");
  return count;
};

/**
 * The part of a shared memory region that contains a tensor, if any. Source: `ParseSharedMemoryParams` of Triton's gRPC
 * service. Negative numbers wrap, as in Triton.
 * @throws PipelineError `request/invalid` with Triton's message.
 */
export const readGrpcRegionPart = (tensor: string, parameters: GrpcParameters): RegionPart | undefined => {
  const region = ownValue(parameters, "shared_memory_region");
  if (region !== undefined) requireChoice(tensor, "shared_memory_region", region, "string_param");
  const [offset = 0, byteSize] = ["shared_memory_offset", "shared_memory_byte_size"].map((name) => {
    const given = ownValue(parameters, name);
    if (given === undefined) return undefined;
    if (region === undefined)
      throw invalid(
        `'${name}' can not be specified without 'shared_memory_region' parameter for tensor '${tensor}'`,
      );
    requireChoice(tensor, name, given, "int64_param");
    return Number(BigInt.asUintN(64, BigInt(given.int64_param ?? 0)));
  });
  if (region === undefined) return undefined;
  if (byteSize === undefined)
    throw invalid(
      `'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '${tensor}'`,
    );
  return { region: region.string_param ?? "", offset, byteSize };
};

const requireChoice = (
  tensor: string,
  name: string,
  { parameter_choice }: GrpcParameter,
  wanted: Choice,
): void => {
  if (parameter_choice !== wanted)
    throw invalid(`invalid value type for '${name}' parameter for tensor '${tensor}', expected ${wanted}.`);
};

const requireParameter = (name: string, parameter: GrpcParameter): void => {
  const rule = ownValue(known, name) ?? ofUsers;
  if (name.startsWith("triton_") && rule === ofUsers)
    throw invalid(
      "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response",
    );
  const choice = parameter.parameter_choice;
  if (choice === undefined || !rule.choices.includes(choice))
    throw invalid(`invalid value type for '${name}' parameter, expected ${rule.expected}.`);
  if (name === "priority" && choice === "int64_param" && Number(parameter.int64_param) < 0)
    throw invalid("invalid value for 'priority', expected value >= 0.");
  if (name === "sequence_id" && choice === "string_param") requireSequenceName(parameter.string_param ?? "");
};
