import {
  encodeUtf8,
  isOptional,
  type Json,
  type Signature,
  type StepDefinition,
  wireDims,
} from "@tritype/core";
import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";
import type { ModelConfig } from "@tritype/triton";
import type { CompilerHost } from "../compiler-host.ts";
import type { SequenceIdsOf } from "../graph/find-sequences.ts";
import type { StreamsOf } from "../graph/find-streams.ts";

/** The properties of a model, apart from its tensors, that clients depend on. */
export type CallWay = Pick<ManifestEnsemble, "streams" | "sequenceIds">;

export const wayOf = (
  { streamsOf, sequenceIdsOf }: { readonly streamsOf: StreamsOf; readonly sequenceIdsOf: SequenceIdsOf },
  model: string,
): CallWay => {
  const sequenceIds = sequenceIdsOf(model);
  return {
    ...(streamsOf(model) === undefined ? {} : { streams: true as const }),
    ...(sequenceIds === undefined ? {} : { sequenceIds }),
  };
};

/** The parameter in a configuration that contains the contract hash, which clients compare. */
const contractParameter = "tritype_contract";

/** The configuration of a model that clients call, with the contract hash. */
export const withContract = (
  config: ModelConfig,
  definition: Pick<StepDefinition, "inputs" | "outputs">,
  host: CompilerHost,
  way: CallWay,
): ModelConfig => {
  const contract = { string_value: contractOf(definition, host, way).contractHash };
  return { ...config, parameters: { ...config.parameters, [contractParameter]: contract } };
};

/** The facts that clients depend on. */
export const contractOf = (
  { inputs, outputs }: Pick<StepDefinition, "inputs" | "outputs">,
  host: CompilerHost,
  way: CallWay,
): Omit<ManifestEnsemble, "name" | "graph"> => ({
  inputs: plainSignature(inputs),
  outputs: plainSignature(outputs),
  contractHash: host.sha256(encodeUtf8(contractText(inputs, outputs, way))),
  ...way,
});

const plainSignature = (signature: Signature): Readonly<Record<string, ManifestTensor>> =>
  Object.fromEntries(
    Object.entries(signature).map(([name, type]) => [
      name,
      {
        dtype: type.dtype,
        dims: [...wireDims(type.dims)],
        ...(isOptional(type) ? { optional: true as const } : {}),
      },
    ]),
  );

/** Names, dtypes, sizes, optional inputs, and how the model is called. Dim names are not part of the contract. */
const contractText = (inputs: Signature, outputs: Signature, way: CallWay): string => {
  const side = (signature: Signature): readonly Json[] =>
    Object.entries(signature)
      .map(([name, type]) => [
        name,
        type.dtype,
        wireDims(type.dims).map((dim) => (typeof dim === "number" ? dim : -1)),
        ...(isOptional(type) ? ["optional"] : []),
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify({
    inputs: side(inputs),
    outputs: side(outputs),
    ...way,
  });
};
