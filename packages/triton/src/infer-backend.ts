import type { ModelConfig } from "./generated/model-config.ts";

interface ModelFormat {
  readonly file: string;
  readonly backend: string;
  /** Absent if the core leaves `platform` empty. */
  readonly platform?: string;
}

/**
 * File names in the order in which the core looks for them. Source: core `model_config_utils.cc`,
 * AutoCompleteBackendFields.
 */
const formats: readonly ModelFormat[] = [
  { file: "model.savedmodel", backend: "tensorflow", platform: "tensorflow_savedmodel" },
  { file: "model.graphdef", backend: "tensorflow", platform: "tensorflow_graphdef" },
  { file: "model.plan", backend: "tensorrt", platform: "tensorrt_plan" },
  { file: "model.onnx", backend: "onnxruntime", platform: "onnxruntime_onnx" },
  { file: "model.xml", backend: "openvino" },
  { file: "model.pt", backend: "pytorch", platform: "pytorch_libtorch" },
  { file: "model.pt2", backend: "pytorch", platform: "torch_aoti" },
  { file: "model.py", backend: "python" },
];

/**
 * Fills `backend`, `platform` and `default_model_filename` from one another, otherwise from the names in the version folder.
 * A model name such as `text.python` determines only the backend, and only if nothing else does. A file's name counts even
 * if the platform belongs to another backend or to none (`ensemble` included). Unknown backends are left unchanged, as
 * is TensorFlow if neither platform nor file shows the format.
 */
export const inferBackend = (config: ModelConfig, versionFiles: readonly string[]): ModelConfig => {
  const { platform, backend, default_model_filename: file } = config;
  if (platform === "ensemble" && backend) return config;
  const format = formatOf(config, versionFiles);
  if (format) {
    return {
      ...config,
      backend: backend || format.backend,
      ...(platform || !format.platform ? {} : { platform: format.platform }),
      default_model_filename: file || format.file,
    };
  }
  const suffix = /\.(.+)$/s.exec(config.name ?? "")?.[1];
  return backend || platform || file || suffix === undefined ? config : { ...config, backend: suffix };
};

/** If both kinds of file exist, the second takes precedence. */
const tensorflowFormat = (
  file: string | undefined,
  versionFiles: readonly string[],
): ModelFormat | undefined =>
  formats.findLast(
    (format) =>
      format.backend === "tensorflow" && (file ? file === format.file : versionFiles.includes(format.file)),
  );

const formatOf = (config: ModelConfig, versionFiles: readonly string[]): ModelFormat | undefined => {
  const { platform, backend, default_model_filename: file } = config;
  // The core checks these platforms before the backend.
  const tensorflow = formats.find((one) => one.backend === "tensorflow" && one.platform === platform);
  if (tensorflow) return tensorflow;
  if (backend) {
    const ofBackend = formats.filter((format) => format.backend === backend);
    const exact = ofBackend.find((format) => format.platform === platform);
    return (
      exact ?? (backend === "tensorflow" && !platform ? tensorflowFormat(file, versionFiles) : ofBackend[0])
    );
  }
  return formats.find((format) => {
    if (platform && platform === format.platform) return true;
    if (file) return file === format.file && !(platform && format.backend === "tensorflow");
    return !platform && versionFiles.includes(format.file);
  });
};

/** Whether ONNX Runtime runs a model, in a configuration that may not be completed. */
export const isOnnx = ({ backend, platform }: Pick<ModelConfig, "backend" | "platform">): boolean =>
  backend === "onnxruntime" || platform === "onnxruntime_onnx";
