import type { TritonRelease } from "@tritype/triton";

/** As what kind of server the repository is judged. */
export interface CheckOptions {
  /** The Triton release that is to load the repository. */
  readonly release: TritonRelease;
  /** As with `--disable-auto-complete-config`. Default false, as Triton. */
  readonly strict?: boolean;
  /** Judge the texts alone: version folders, model files, labels and warmup files may be missing. */
  readonly configsOnly?: boolean;
  /** As with `--model-config-name`: `configs/<name>.pbtxt` where a model has it. */
  readonly configName?: string;
  /** Ids of the machine's GPUs; undefined if unknown: rules that depend on them then do not run. */
  readonly gpus?: readonly number[];
  /** The ONNX Runtime backend's `default-max-batch-size`; default 4. */
  readonly defaultMaxBatchSize?: number;
  /**
   * Packages that the server's Python has in addition to its own modules, as pip writes them: `["numpy==1.26.4"]`; undefined if
   * unknown: imports are then not checked.
   */
  readonly pythonPackages?: readonly string[] | undefined;
  /** The server's machine apart from the repository; undefined if unknown: rules that depend on it then do not run. */
  readonly installed?: ServerInstallation;
  /** What is known from earlier checks of the same models. Default: nothing. */
  readonly sound?: SoundModels | undefined;
}

/** Models, by name, in which the rules about one model are known to find nothing. */
export interface SoundModels {
  /** Whether it is known of a model, which is then not judged by those rules. */
  readonly has: (model: string) => boolean;
  /** Called for each judged model in which nothing was found. */
  readonly add: (model: string) => void;
}

/** The server's environment outside of the model repository. */
export interface ServerInstallation {
  /** Names of the backends in its backend directory whose library is `libtriton_<name>.so`, such as `"python"`. */
  readonly backends: readonly string[];
  /** Names of its repository agents. */
  readonly repositoryAgents: readonly string[];
  /** CPU accelerators that its ONNX Runtime backend was built with; official images have `"openvino"`. */
  readonly cpuAccelerators: readonly string[];
  /** Shared libraries that it can load, as configurations name them: bare names and absolute paths. */
  readonly libraries: readonly string[];
}
