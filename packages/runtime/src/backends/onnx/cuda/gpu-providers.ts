import { ownValue } from "@tritype/core";
import { type ModelConfig, tensorrtParameters } from "@tritype/triton";
import { booleanOf, integerOf, invalidParameter } from "../parameter-values.ts";

/** The device of an instance on a GPU. */
export interface CudaDevice {
  readonly kind: "cuda";
  readonly deviceId: number;
  /** Whether TensorRT is requested and works. */
  readonly tensorrt: boolean;
}

/** An execution provider of ONNX Runtime as requested by Triton's backend. */
export interface GpuProvider {
  readonly name: "tensorrt" | "cuda";
  readonly deviceId: number;
  /** Options with ONNX Runtime's names, as strings: `{ gpu_mem_limit: "1000000" }`. */
  readonly options: Readonly<Record<string, string>>;
}

/**
 * The providers of an instance on a GPU; each node runs on the first provider that supports it: TensorRT if an
 * accelerator requests it and it is available, then CUDA. Source: `ModelState::LoadModel` of Triton's
 * onnxruntime_backend, as of 26.06.
 * @throws PipelineError `repository/invalid` with Triton's text for unknown accelerators, parameters and values.
 */
export const gpuProviders = (config: ModelConfig, device: CudaDevice): readonly GpuProvider[] => {
  const { deviceId } = device;
  const accelerators = config.optimization?.execution_accelerators?.gpu_execution_accelerator ?? [];
  const fromAccelerators: Record<string, string> = {};
  const providers: GpuProvider[] = [];
  for (const { name = "", parameters = {} } of accelerators) {
    if (name === "tensorrt") {
      const options = tensorrtOptions(parameters);
      if (device.tensorrt) providers.push({ name, deviceId, options });
    } else if (name === "cuda") Object.assign(fromAccelerators, cudaAcceleratorOptions(parameters));
    else throw invalidParameter(`unknown Execution Accelerator '${name}' is requested`);
  }
  return [
    ...providers,
    { name: "cuda", deviceId, options: { ...fromAccelerators, ...modelParameterOptions(config) } },
  ];
};

/** Whether a model requests TensorRT. */
export const asksForTensorrt = ({ optimization }: ModelConfig): boolean =>
  (optimization?.execution_accelerators?.gpu_execution_accelerator ?? []).some(
    ({ name }) => name === "tensorrt",
  );

type Parameters = Readonly<Record<string, string>>;
type Read = (text: string) => Parameters;

const tensorrtOptions = (parameters: Parameters): Parameters => {
  const options: Record<string, string> = {};
  for (const [name, text] of Object.entries(parameters)) {
    const read = ownValue(tensorrtReaders, name);
    if (read === undefined)
      throw invalidParameter(`unknown parameter '${name}' is provided for TensorRT Execution Accelerator`);
    Object.assign(options, withoutEmpty(read(text)));
  }
  return options;
};

const cudaAcceleratorOptions = (parameters: Parameters): Parameters => {
  for (const name of ["do_copy_in_default_stream", "use_ep_level_unified_stream"]) {
    const text = parameters[name];
    if (text !== undefined) booleanOf(text);
  }
  return withoutEmpty(parameters);
};

/** The older way of setting options: `parameters` of the model. Those parameters take precedence. */
const modelParameterOptions = ({ parameters = {} }: ModelConfig): Parameters => {
  const options: Record<string, string> = {};
  for (const [name, read] of Object.entries(modelParameters)) {
    const text = parameters[name]?.string_value;
    if (text !== undefined) Object.assign(options, read(text));
  }
  return options;
};

const withoutEmpty = (options: Parameters): Parameters =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ""));

const text =
  (name: string): Read =>
  (value) => ({ [name]: value });

const boolean =
  (name: string): Read =>
  (value) => {
    booleanOf(value);
    return { [name]: value };
  };

const integer =
  (name: string, type?: string): Read =>
  (value) => {
    integerOf(value, type);
    return { [name]: value };
  };

/** A number that represents one of ONNX Runtime's keywords. */
const choice =
  (name: string, words: readonly string[]): Read =>
  (value) => {
    const number = integerOf(value);
    const word = words[number];
    if (word === undefined) throw invalidParameter(`unsupported ${name} value '${number}' is requested`);
    return { [name]: word };
  };

const precisions: Readonly<Record<string, Parameters>> = {
  FP32: {},
  FP16: { trt_fp16_enable: "1" },
  BF16: { trt_bf16_enable: "1" },
  INT8: { trt_int8_enable: "1" },
};

const precision: Read = (mode) => {
  const options = ownValue(precisions, mode);
  if (options === undefined) throw invalidParameter(`unsupported precision mode '${mode}' is requested`);
  return options;
};

const readers = { boolean, integer, text };
const tensorrtReaders: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    Object.entries(tensorrtParameters).flatMap(([name, type]) =>
      typeof type === "string" ? [[name, readers[type](name)] as const] : [],
    ),
  ),
  precision_mode: precision,
  max_workspace_size_bytes: integer("trt_max_workspace_size", "unsigned long long integral number"),
  int8_calibration_table_name: text("trt_int8_calibration_table_name"),
  int8_use_native_calibration_table: boolean("trt_int8_use_native_calibration_table"),
};

const modelParameters: Readonly<Record<string, Read>> = {
  cudnn_conv_algo_search: choice("cudnn_conv_algo_search", ["EXHAUSTIVE", "HEURISTIC", "DEFAULT"]),
  gpu_mem_limit: text("gpu_mem_limit"),
  arena_extend_strategy: choice("arena_extend_strategy", ["kNextPowerOfTwo", "kSameAsRequested"]),
  do_copy_in_default_stream: text("do_copy_in_default_stream"),
};
