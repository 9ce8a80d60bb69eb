import type { CpuAccelerator, GpuAccelerator } from "./accelerator.ts";

interface CudaGraphShapes {
  /** The batch size, from 1 to the largest batch; 0 for models without batching. Default 0. */
  readonly batchSize?: number;
  /** Maps an input name to its dims. Inputs with fixed dims need no entry. */
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

/** How backends may speed up the model. Only backends validate this, not Triton's core. */
export interface Optimization {
  /** Engines that run parts of the model. Default: none. */
  readonly executionAccelerators?: {
    /** For instances on GPUs, in the order in which they are tried. Default none. */
    readonly gpuExecutionAccelerator?: readonly GpuAccelerator[];
    /** For instances on CPUs, and for instances on GPUs after the GPU engines, in the order in which they are tried. Default none. */
    readonly cpuExecutionAccelerator?: readonly CpuAccelerator[];
  };
  /** Priority of the model's work on a GPU relative to other models on the same GPU. Default `"default"`. */
  readonly priority?: "max" | "min" | "default";
  /** How much the backend rewrites the graph. Default: as much as possible. */
  readonly graph?: {
    /** In ONNX Runtime, -1 means basic, 1 extended, and any other number all optimizations. */
    readonly level: number;
  };
  /** How work is sent to an NVIDIA GPU. */
  readonly cuda?: {
    /** CUDA graphs (TensorRT). Default false. */
    readonly graphs?: boolean;
    /**
     * Shapes for which graphs are recorded when the model is loaded; only with `graphs`. Default: batch sizes that the backend chooses,
     * with the configured dims.
     */
    readonly graphSpec?: readonly (CudaGraphShapes & {
      /** The smallest shapes that may also run on the graph, with padding. Default: only the graph's own shapes. */
      readonly graphLowerBound?: CudaGraphShapes;
    })[];
    /** Wait for the device by spinning. Default false. */
    readonly busyWaitEvents?: boolean;
    /** Copy outputs in a separate stream. Default false. */
    readonly outputCopyStream?: boolean;
  };
  /** Memory for inputs on their way to a GPU. */
  readonly inputPinnedMemory?: {
    /** Use page-locked memory, which copies faster. Default true. */
    readonly enable: boolean;
  };
  /** Memory for outputs on their way from a GPU. */
  readonly outputPinnedMemory?: {
    /** Use page-locked memory, which copies faster. Default true. */
    readonly enable: boolean;
  };
  /** The number of buffers from which a kernel gathers a batch's inputs on the GPU. Default 0: never. */
  readonly gatherKernelBufferThreshold?: number;
  /** Prepare the next batch while one runs. Default false. */
  readonly eagerBatching?: boolean;
}
