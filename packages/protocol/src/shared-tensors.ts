import { foreignError, type PipelineError, type TensorData } from "@tritype/core";
import type { Steps } from "./steps.ts";

/** The part of a registered shared memory region that contains a tensor. */
export interface RegionPart {
  readonly region: string;
  readonly offset: number;
  readonly byteSize: number;
}

/** Records the tensors of one request that are in shared memory while the request is read. */
export interface SharedTensors {
  /**
   * An input. The request contains an empty tensor instead; once its bytes are available, `read` turns them into the tensor.
   * @throws PipelineError with Triton's message if no registered region has this part.
   */
  input(name: string, part: RegionPart, read: (bytes: Uint8Array) => Steps<TensorData>): void;
  /** An output. @throws PipelineError as for an input. */
  output(name: string, part: RegionPart): void;
}

/** Triton's error for a region that is not registered. */
export const unknownRegion = (name: string): PipelineError =>
  foreignError("model/not-found", `Unable to find shared memory region: '${name}'`);

const refuse = (_: string, { region }: RegionPart): never => {
  throw unknownRegion(region);
};

/** For requests that cannot use shared memory, because no region is registered. */
export const noSharedTensors: SharedTensors = { input: refuse, output: refuse };

/** A placeholder for an input in shared memory. */
export const emptyTensor = (dtype: TensorData["dtype"], shape: readonly number[]): TensorData =>
  dtype === "BYTES" ? { dtype, shape, data: [] } : { dtype, shape, data: new Uint8Array(0) };
