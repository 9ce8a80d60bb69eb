import { dtypes, PipelineError } from "@tritype/core";
import type { OnnxPort, OnnxSignature } from "@tritype/onnx";
import type { DataType, ModelConfig, ModelInput } from "@tritype/triton";

/** Triton's `default-max-batch-size`. */
const defaultMaxBatchSize = 4;

/**
 * Writes the side of a configuration that is missing, from the graph. A side that is written in part stays as it is, and with
 * both sides given nothing changes.
 * Source: `AutoCompleteConfig` of Triton's onnxruntime_backend.
 * @throws PipelineError `repository/invalid` with Triton's text.
 */
export const completeFromSignature = (config: ModelConfig, signature: OnnxSignature): ModelConfig => {
  const hasInput = (config.input?.length ?? 0) + (config.batch_input?.length ?? 0) > 0;
  const hasOutput = (config.output?.length ?? 0) > 0;
  if (hasInput && hasOutput) return config;
  const batched = [...signature.inputs, ...signature.outputs].every(
    ({ dims }) => dims !== undefined && (typeof dims[0] === "string" || dims[0] === -1),
  );
  const given = config.max_batch_size ?? 0;
  if (!batched && given > 0)
    throw new PipelineError(
      "repository/invalid",
      `autofill failed for model '${config.name ?? ""}': model does not support batching while non-zero max_batch_size is specified`,
    );
  const maxBatchSize = batched && given === 0 ? defaultMaxBatchSize : given;
  const tensor = (port: OnnxPort): ModelInput => completed(port, batched);
  const scheduled = config.dynamic_batching ?? config.sequence_batching ?? config.ensemble_scheduling;
  return {
    ...config,
    max_batch_size: maxBatchSize,
    ...(hasInput ? {} : { input: signature.inputs.map(tensor) }),
    ...(hasOutput ? {} : { output: signature.outputs.map(tensor) }),
    ...(maxBatchSize > 1 && scheduled === undefined ? { dynamic_batching: {} } : {}),
  };
};

const completed = ({ name, dtype, dims = [] }: OnnxPort, batched: boolean): ModelInput => {
  const sizes = dims.slice(batched ? 1 : 0).map((dim) => (typeof dim === "number" ? dim : -1));
  return {
    name,
    ...(dtype === undefined || dtype === "BF16" ? {} : { data_type: dtypes[dtype].configName as DataType }),
    dims: sizes.length === 0 ? [1] : sizes,
    ...(sizes.length === 0 && batched ? { reshape: {} } : {}),
  };
};
