import { type ModelConfig, onnxAccelerators, type TritonRelease } from "@tritype/triton";
import type { WarmupEntry } from "./warmup-entry.ts";

const keys = ["trt_profile_min_shapes", "trt_profile_opt_shapes", "trt_profile_max_shapes"] as const;

/**
 * Adds the sizes of the warmup to the configuration as the TensorRT accelerator's profile, unless the author wrote one
 * or the target does not read any. The profile has the smallest sizes with a batch of 1, the sizes of the marked sample
 * (or otherwise of the first), and the largest sizes with the largest batch. Source: ONNX Runtime's TensorRT execution
 * provider, explicit shape range: `input:1x16,other:1x16`.
 */
export const tensorrtProfile = (
  config: ModelConfig,
  entries: readonly WarmupEntry[],
  { container }: TritonRelease,
): ModelConfig => {
  const read = onnxAccelerators(container).get("tensorrt")?.parameters ?? {};
  const accelerators = config.optimization?.execution_accelerators;
  const onGpu = accelerators?.gpu_execution_accelerator ?? [];
  const shapes = profileShapes(config, entries);
  if (
    shapes === undefined ||
    !keys.every((key) => Object.hasOwn(read, key)) ||
    !onGpu.some(({ name }) => name === "tensorrt")
  )
    return config;
  return {
    ...config,
    optimization: {
      ...config.optimization,
      execution_accelerators: {
        ...accelerators,
        gpu_execution_accelerator: onGpu.map((one) => {
          const written = keys.some((key) => Object.hasOwn(one.parameters ?? {}, key));
          return one.name === "tensorrt" && !written
            ? { ...one, parameters: { ...one.parameters, ...shapes } }
            : one;
        }),
      },
    },
  };
};

const profileShapes = (
  { max_batch_size: most = 0, input = [] }: ModelConfig,
  entries: readonly WarmupEntry[],
): Readonly<Record<(typeof keys)[number], string>> | undefined => {
  const typical = entries.find(({ opt }) => opt) ?? entries[0];
  const inputs = input.map(({ name = "", dims = [], reshape }) => ({
    name,
    dims,
    reshape,
    all: entries.flatMap((entry) => entry.inputs.get(name) ?? []),
    opt: typical?.inputs.get(name)?.dims,
  }));
  // ONNX Runtime splits the string at ":" and ",", and requires every input.
  if (typical === undefined || inputs.some(({ name, all }) => /[:,]/.test(name) || all.length === 0))
    return undefined;
  type Pick = (sizes: readonly number[], opt: number | undefined) => number;
  const shapes = (batch: number, pick: Pick): string =>
    inputs
      .map(({ name, dims, reshape, all, opt }) => {
        const sizes = dims.map((_, axis) =>
          pick(
            all.map((tensor) => tensor.dims[axis] ?? 1),
            opt?.[axis],
          ),
        );
        const own = reshape === undefined ? sizes : reshapedSizes(reshape.shape ?? [], dims, sizes);
        return `${name}:${[...(most > 0 ? [batch] : []), ...own].join("x")}`;
      })
      .join(",");
  return {
    trt_profile_min_shapes: shapes(1, (sizes) => Math.max(1, smallest(sizes))),
    trt_profile_opt_shapes: shapes(typical.batchSize, (sizes, opt) =>
      opt === undefined ? largest(sizes) : Math.max(1, opt),
    ),
    trt_profile_max_shapes: shapes(most, largest),
  };
};

const smallest = (sizes: readonly number[]): number =>
  sizes.reduce((least, size) => Math.min(least, size), Number.POSITIVE_INFINITY);

/** At least 1. */
const largest = (sizes: readonly number[]): number => sizes.reduce((most, size) => Math.max(most, size), 1);

/** The n-th -1 of the reshape takes the size of the n-th -1 of the declared dims. */
const reshapedSizes = (
  shape: readonly number[],
  declared: readonly number[],
  sizes: readonly number[],
): readonly number[] => {
  const variable = sizes.filter((_, axis) => declared[axis] === -1);
  let next = 0;
  return shape.map((dim) => (dim === -1 ? (variable[next++] ?? -1) : dim));
};
