import type { Label } from "@tritype/core";
import type { TritonRelease } from "@tritype/triton";

/** The kind of server that the repository is checked for. */
export interface CheckOptions {
  /** The Triton release that will load the repository. */
  readonly release: TritonRelease;
  /** Same as `--disable-auto-complete-config`. Default false, as in Triton. */
  readonly strict?: boolean;
  /** Check only the configurations: version folders, model files, labels and warmup files may be missing. */
  readonly configsOnly?: boolean;
  /** As in `--model-config-name`: selects `configs/<name>.pbtxt` for models that have this file. */
  readonly configName?: string;
  /** Ids of the machine's GPUs. If undefined, they are unknown, and rules that depend on them are skipped. */
  readonly gpus?: readonly number[];
  /** Number of processors of the server; undefined if unknown. */
  readonly cores?: number | undefined;
  /**
   * Whether servers with and without GPUs will load the repository; settings that only apply to GPUs are then checked
   * too. Default false.
   */
  readonly anyServer?: boolean;
  /** The ONNX Runtime backend's `default-max-batch-size`; default 4. */
  readonly defaultMaxBatchSize?: number;
  /**
   * Packages that the server's Python has in addition to its own modules, in pip's notation: `["numpy==1.26.4"]`. If undefined,
   * they are unknown, and imports are not checked.
   */
  readonly pythonPackages?: readonly string[] | undefined;
  /** What is installed on the server's machine. If undefined, rules that depend on it are skipped. */
  readonly installed?: ServerInstallation;
  /**
   * Rewrites a sentence of a finding with these labels in the terms in which the author writes configurations; `names`
   * are the author's own. Default: the terms of config.pbtxt.
   */
  readonly inTerms?: (
    sentence: string,
    names: ReadonlySet<unknown>,
    labels: readonly Pick<Label, "span">[],
  ) => string;
  /** Tokenizers, and models that receive their ids, whose sizes were already compared. Default: none. */
  readonly comparedTokens?: readonly { readonly maker: string; readonly model: string }[] | undefined;
  /** Results of earlier checks of the same models. Default: none. */
  readonly sound?: SoundModels | undefined;
}

/** Models, by name, in which the rules about single models are known to find nothing. */
export interface SoundModels {
  /** Whether the model is known to have no findings; if so, those rules skip it. */
  readonly has: (model: string) => boolean;
  /** Called for each checked model without findings. */
  readonly add: (model: string) => void;
}

/** The server's environment outside the model repository. */
export interface ServerInstallation {
  /** Names of the backends in its backend directory, i.e. with a library `libtriton_<name>.so`, such as `"python"`. */
  readonly backends: readonly string[];
  /** Names of its repository agents. */
  readonly repositoryAgents: readonly string[];
  /** CPU accelerators with which its ONNX Runtime backend was built; official images have `"openvino"`. */
  readonly cpuAccelerators: readonly string[];
  /** Shared libraries that it can load, as written in configurations: bare names and absolute paths. */
  readonly libraries: Pick<readonly string[], "includes">;
}
