import type { CpuAccelerator, GpuAccelerator } from "./accelerator.ts";

interface CudaGraphShapes {
  /** From 1 to the largest batch; 0 for models without batches. Default 0. */
  readonly batchSize?: number;
  /** By name of the input. Default: inputs whose dims are fixed need none. */
  readonly input?: Readonly<
    Record<
      string,
      {
        /** Sizes without the batch; no -1. */
        readonly dim: readonly number[];
      }
    >
  >;
}

/** How backends may speed the model up. Triton's core validates none of it; backends do. */
export interface Optimization {
  /** Hands parts of the model to another engine. Default: none. */
  readonly executionAccelerators?: {
    /** For instances on GPUs, in the order in which they are tried. Default none. */
    readonly gpuExecutionAccelerator?: readonly GpuAccelerator[];
    /** For instances on CPUs, and after the others on GPUs, in the order in which they are tried. Default none. */
    readonly cpuExecutionAccelerator?: readonly CpuAccelerator[];
  };
  /** Of the model's work on a GPU, against that of other models there. Default `"default"`. */
  readonly priority?: "max" | "min" | "default";
  /** How much the backend rewrites the graph. Default: as much as it can. */
  readonly graph?: {
    /** ONNX Runtime: -1 basic, 1 extended, else all. */
    readonly level: number;
  };
  /** How work gets to an NVIDIA GPU. */
  readonly cuda?: {
    /** CUDA graphs (TensorRT). Default false. */
    readonly graphs?: boolean;
    /**
     * Shapes for which graphs are recorded when the model is loaded; with `graphs`. Default: batch sizes of the backend's choice, in
     * the configured dims.
     */
    readonly graphSpec?: readonly (CudaGraphShapes & {
      /** The smallest shapes that the graph may run too, padded. Default: its own shapes and no other. */
      readonly graphLowerBound?: CudaGraphShapes;
    })[];
    /** Wait for the device by spinning. Default false. */
    readonly busyWaitEvents?: boolean;
    /** Copy outputs on a stream of their own. Default false. */
    readonly outputCopyStream?: boolean;
  };
  /** Memory for inputs on their way to a GPU. */
  readonly inputPinnedMemory?: {
    /** Page-locked, which copies faster. Default true. */
    readonly enable: boolean;
  };
  /** Memory for outputs on their way from a GPU. */
  readonly outputPinnedMemory?: {
    /** Page-locked, which copies faster. Default true. */
    readonly enable: boolean;
  };
  /** From this many buffers a kernel gathers a batch's inputs on the GPU. Default 0: never. */
  readonly gatherKernelBufferThreshold?: number;
  /** Prepare the next batch while one runs. Default false. */
  readonly eagerBatching?: boolean;
}
