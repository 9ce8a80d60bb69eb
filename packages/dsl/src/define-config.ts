import type { FunctionEngine } from "./function-step.ts";
import type { Duration } from "./model-fields/duration.ts";
import type { ProjectProfile } from "./model-fields/profile-fields.ts";

/** The default export of `pipeline.config.ts`. */
export interface PipelineConfig {
  /** Files whose exported ensembles are built, relative to the project's root. Default `["pipeline.ts"]`. */
  readonly entries?: readonly string[];
  /** Folder of the build, relative to the project's root. Default `"build"`. */
  readonly output?: string;
  /** The Triton release for which the repository is built. Default `"24.10"`. */
  readonly target?: `${number}.${number}`;
  /**
   * What a build does with the versions in the build folder. `"fresh"` (the default) replaces them. With `"append"`, a model whose files
   * have changed gets a new version next to the old ones, for a server that polls the folder. It keeps the newest old version (three with
   * `{ append: { keep: 3 } }`), and those that the version policy or a call names.
   */
  readonly versions?: "fresh" | "append" | { readonly append: { readonly keep: number } };
  /**
   * Configurations to choose from when a server starts: each is emitted for every model as `configs/<name>.pbtxt`, which `tritonserver
   * --model-config-name=<name>` and `pipeline dev --profile <name>` use instead of `config.pbtxt`. These settings apply to models without
   * their own; steps, `members` and ensembles list the fields that a profile overrides under `profiles`. `{ gpu: {}, cpu: { instanceGroup:
   * [{ kind: "cpu" }] } }`. Default: none. Since 24.05.
   */
  readonly profiles?: Readonly<Record<string, ProjectProfile>>;
  /** Your own step kinds, in addition to the built-in ones. */
  readonly stepKinds?: readonly { readonly kind: string }[];
  /**
   * The container of the build: `Dockerfile`, `compose.yaml`, `requirements.txt`. `false` emits none of them. `baseImage` is an image, for
   * example in your own registry, with the target release of Triton and every backend that is needed. Default: NVIDIA's images. `digests`
   * pins them: `docker buildx imagetools inspect nvcr.io/nvidia/tritonserver:<release>-py3` (`-py3-min`) prints them.
   */
  readonly docker?:
    | false
    | {
        readonly baseImage?: string;
        readonly digests?: { readonly image?: string; readonly minImage?: string };
      };
  /**
   * How the functions of `step` and `batchStep` run in Triton: `engine` applies to steps without their own, and `node` is the major version
   * of Node for steps that run on Node. Default `{ engine: "python", node: 24 }`.
   */
  readonly functions?: { readonly engine?: FunctionEngine; readonly node?: 22 | 24 };
  /** Maps an ensemble to the reference and limits for its answers. `pipeline build` refuses a build that drifts too far. */
  readonly drift?: Readonly<Record<string, DriftGate>>;
  /** Settings for the files that `pipeline deploy` writes. */
  readonly deploy?: DeployConfig;
}

/** Settings of `pipeline deploy`. */
export interface DeployConfig {
  /** Name of the image in your registry, without a tag: `"registry.example/embed"`. Default: set when the chart is installed. */
  readonly image?: string;
  /**
   * Where servers find the models: `"s3://bucket/folder"`, `"gs://bucket/folder"` or `"as://account/container/folder"`, all of which Triton
   * reads; `"pvc://claim/folder"`; or, for KServe, `"oci://registry.example/image"`. Each build has its own folder or tag. Default: the
   * last `pipeline deploy --models`, or else `"image"`: in the image. `pipeline deploy --models` replaces it.
   */
  readonly models?: string;
  /** Folder for the files, relative to the project's root. Default `"deploy"`. */
  readonly output?: string;
  /** Number of servers without an autoscaler. Default 2. */
  readonly replicas?: number;
  /** How servers are replaced without losing requests. */
  readonly rollout?: DeployRollout;
  /** Further templates: for KServe, which replace the chart's own Deployment and Services, and routes for the Gateway API. Default: none. */
  readonly platforms?: readonly ("kserve" | "gateway")[];
  /** The proxy in front of the servers in the Compose file. Default `"haproxy"`. */
  readonly proxy?: "haproxy" | "envoy";
}

/** How servers are replaced. Times are in whole seconds: `"10s"`. */
export interface DeployRollout {
  /** Servers that may be missing during a rollout. Default 0. */
  readonly maxUnavailable?: number;
  /** Servers in addition to `replicas` during a rollout. Default 1. */
  readonly maxSurge?: number;
  /** Time before SIGTERM during which the server still answers while gateways stop using its address. Default `"10s"`. */
  readonly drain?: Duration;
  /** Age at which clients open a new gRPC connection; at most 10/11 of `drain`. Default: half of `drain`. */
  readonly grpcMaxConnectionAge?: Duration;
  /** Time for running requests after SIGTERM: `--exit-timeout-secs`. Default `"30s"`. */
  readonly exitTimeout?: Duration;
  /** The longest time that any request takes. Default `"30s"`. */
  readonly longestRequest?: Duration;
  /** Time until a stopping server is killed. Default: `drain`, `exitTimeout` and `longestRequest` together, plus 15 s. */
  readonly grace?: Duration;
  /** The longest time in which all models load and warm up. Default `"300s"`. */
  readonly slowestLoad?: Duration;
  /** How long a server may take to start. Default: probed every 5 s, as many times as `slowestLoad` requires. */
  readonly startupProbe?: { readonly period?: Duration; readonly failures?: number };
}

/** The reference for an ensemble's answers, and how close the answers must be to it. */
export interface DriftGate {
  /**
   * The variant that is assumed to be correct: a folder with a build, a model repository or a project, relative to the project's root; or
   * this project with different ONNX files in some of its models, `{ models: { encoder: "models/encoder.fp32.onnx" } }`.
   */
  readonly reference: string | { readonly models: Readonly<Record<string, string>> };
  /** A .jsonl, .json or .txt file of requests, relative to the project's root. Default: the samples of the ensemble's `warmup`. */
  readonly dataset?: string;
  /** Maps an output name, or `"*"` for all outputs, to its limits. */
  readonly limits: Readonly<Record<string, DriftGateLimits>>;
}

/** Limits for the answers of one output. */
export interface DriftGateLimits {
  /** Maximum |candidate - reference| for any element. */
  readonly maxAbsolute?: number;
  /** Maximum mean of |candidate - reference|. */
  readonly meanAbsolute?: number;
  /** Maximum |candidate - reference| for 99 of 100 elements. */
  readonly p99Absolute?: number;
  /** Maximum |candidate - reference| / |reference|. */
  readonly maxRelative?: number;
  /** Maximum mean of |candidate - reference| / |reference|. */
  readonly meanRelative?: number;
  /** Maximum |candidate - reference| / |reference| for 99 of 100 elements. */
  readonly p99Relative?: number;
  /** Minimum cosine similarity of the worst row. */
  readonly cosine?: number;
  /** Minimum mean cosine similarity of the rows. */
  readonly meanCosine?: number;
  /** Minimum share of rows whose largest value is at the same position. */
  readonly top1?: number;
  /** Minimum share of equal elements. */
  readonly exact?: number;
  /** For JSON: minimum share of elements that are equal except for fractional numbers. */
  readonly exactExceptNumbers?: number;
  /** Maximum difference between the candidate's rows alone and in a batch. */
  readonly batchDependence?: number;
  /** `"any"` allows a different float dtype. */
  readonly dtype?: "any";
}

/** Returns its argument; it gives you types and completion for `pipeline.config.ts`. */
export const defineConfig = (config: PipelineConfig): PipelineConfig => config;
