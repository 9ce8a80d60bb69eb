/** An accelerator of a backend, such as TensorRT in ONNX Runtime. */
export interface Accelerator {
  /** ONNX Runtime: `tensorrt`, `cuda` (GPU), `openvino` (CPU). */
  readonly name: string;
  /** The accelerator's own; numbers are written without exponent. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
}

interface CudaGraphShapes {
  readonly batchSize?: number;
  /** Input → dims without the batch. */
  readonly input?: Readonly<Record<string, { readonly dim: readonly number[] }>>;
}

/** How backends may speed the model up. Triton's core validates none of it; backends do. */
export interface Optimization {
  readonly executionAccelerators?: {
    /** Only for instances on GPUs. */
    readonly gpuExecutionAccelerator?: readonly Accelerator[];
    readonly cpuExecutionAccelerator?: readonly Accelerator[];
  };
  /** Of the model's work on a GPU. Default `"default"`. */
  readonly priority?: "max" | "min" | "default";
  /** Graph optimisation of ONNX Runtime: -1 basic, 1 extended, else all. Default all. */
  readonly graph?: { readonly level: number };
  readonly cuda?: {
    /** CUDA graphs (TensorRT). Default false. */
    readonly graphs?: boolean;
    readonly graphSpec?: readonly (CudaGraphShapes & { readonly graphLowerBound?: CudaGraphShapes })[];
    /** Wait for the device by spinning. Default false. */
    readonly busyWaitEvents?: boolean;
    /** Copy outputs on a stream of their own. Default false. */
    readonly outputCopyStream?: boolean;
  };
  /** Default true. */
  readonly inputPinnedMemory?: { readonly enable: boolean };
  /** Default true. */
  readonly outputPinnedMemory?: { readonly enable: boolean };
  /** Buffers from which a kernel gathers a batch. Default 0: never. */
  readonly gatherKernelBufferThreshold?: number;
  /** Prepare the next batch while one runs. Default false. */
  readonly eagerBatching?: boolean;
}
