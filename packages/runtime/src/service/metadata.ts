import { dtypeOfConfigName } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { ModelMetadata, TensorMetadata } from "../runtime.ts";

/** Source: `TRITONSERVER_ServerModelMetadata` of Triton core. */
export const metadataOf = (config: ModelConfig, versions: readonly string[]): ModelMetadata => {
  const batch = (config.max_batch_size ?? 0) > 0 ? [-1] : [];
  const tensor = ({ name = "", data_type, dims = [] }: Port): TensorMetadata => ({
    name,
    datatype: dtypeOfConfigName(data_type ?? "") ?? "<invalid>",
    shape: [...batch, ...dims],
  });
  return {
    name: config.name ?? "",
    versions,
    platform: config.platform || config.backend || "",
    inputs: (config.input ?? []).map(tensor),
    outputs: (config.output ?? []).map(tensor),
  };
};

type Port = NonNullable<ModelConfig["output"]>[number];
