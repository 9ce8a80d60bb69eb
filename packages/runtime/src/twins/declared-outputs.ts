import { type DType, dtypeOfConfigName } from "@tritype/core";
import type { ModelVersion } from "../backend.ts";
import { runtimeError } from "../errors.ts";

/** An output of config.pbtxt. */
export interface DeclaredOutput<D extends DType = DType> {
  readonly name: string;
  readonly dtype: D;
  /** Dims without the batch. */
  readonly dims: readonly number[];
}

/** The outputs by name. @throws PipelineError `manifest/output-type` for a dtype that the model's code does not write */
export const declaredOutputs = <D extends DType = DType>(
  { name: model, config }: ModelVersion,
  written?: readonly D[],
): ReadonlyMap<string, DeclaredOutput<D>> =>
  new Map(
    (config.output ?? []).map(({ name = "", data_type = "TYPE_INVALID", dims = [] }) => {
      const dtype = dtypeOfConfigName(data_type) as D | undefined;
      if (dtype === undefined || written?.includes(dtype) === false)
        throw runtimeError("manifest/output-type", { output: name, model, type: data_type });
      return [name, { name, dtype, dims }];
    }),
  );
