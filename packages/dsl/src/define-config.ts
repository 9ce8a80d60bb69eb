import type { MemberProfile } from "./model-fields/profile-fields.ts";

/** What `pipeline.config.ts` exports by default. */
export interface PipelineConfig {
  /** Files whose exported ensembles are built, from the project's root. Default `["pipeline.ts"]`. */
  readonly entries?: readonly string[];
  /** Folder of the build, from the project's root. Default `"build"`. */
  readonly output?: string;
  /** Triton release the repository is made for. Default `"24.10"`. */
  readonly target?: `${number}.${number}`;
  /**
   * What a build does to the versions that lie in the build folder. `"fresh"`, the default: it replaces them. `"append"`: a model whose
   * files change gets one more version beside the old ones, for a server that polls the folder. Of the old ones it keeps the newest
   * (`{ append: { keep: 3 } }`: three), and those that the version policy or a call names.
   */
  readonly versions?: "fresh" | "append" | { readonly append: { readonly keep: number } };
  /**
   * Configurations to choose from when a server starts: each is emitted for every model as `configs/<name>.pbtxt`, which
   * `tritonserver --model-config-name=<name>` and `pipeline dev --profile <name>` take in place of `config.pbtxt`. What stands here
   * holds for models that say nothing themselves; steps, `members` and ensembles say what is otherwise with them under `profiles`.
   * `{ gpu: {}, cpu: { instanceGroup: [{ kind: "cpu" }] } }`. Default: none. Since 24.05.
   */
  readonly profiles?: Readonly<Record<string, MemberProfile>>;
  /** Step kinds of your own, beside the built-in ones. */
  readonly stepKinds?: readonly { readonly kind: string }[];
  /**
   * The container of the build: `Dockerfile`, `compose.yaml`, `requirements.txt`. `false` emits none of them. `baseImage` is an image
   * with Triton of the target release and every backend the build needs, say of your own registry. Default: NVIDIA's images.
   * `digests` pins those: `docker buildx imagetools inspect nvcr.io/nvidia/tritonserver:<release>-py3` (`-py3-min`) prints them.
   */
  readonly docker?:
    | false
    | {
        readonly baseImage?: string;
        readonly digests?: { readonly image?: string; readonly minImage?: string };
      };
  /** By name of an ensemble: what its answers are held against. `pipeline build` refuses a build that drifts too far. */
  readonly drift?: Readonly<Record<string, DriftGate>>;
}

/** What the answers of an ensemble are held against, and how near they must be. */
export interface DriftGate {
  /**
   * The variant that is right: a folder with a build, a model repository or a project, from the project's root; or this project with
   * other ONNX files in some of its models, `{ models: { encoder: "models/encoder.fp32.onnx" } }`.
   */
  readonly reference: string | { readonly models: Readonly<Record<string, string>> };
  /** A .jsonl, .json or .txt file of requests, from the project's root. Default: the samples of the ensemble's `warmup`. */
  readonly dataset?: string;
  /** By name of an output, or `"*"` for all. */
  readonly limits: Readonly<Record<string, DriftGateLimits>>;
}

/** What the answers of one output must keep to. */
export interface DriftGateLimits {
  /** Largest |candidate - reference| of an element, at most. */
  readonly maxAbsolute?: number;
  /** Mean of |candidate - reference|, at most. */
  readonly meanAbsolute?: number;
  /** |candidate - reference| of 99 of 100 elements, at most. */
  readonly p99Absolute?: number;
  /** Largest |candidate - reference| / |reference|, at most. */
  readonly maxRelative?: number;
  /** Mean of |candidate - reference| / |reference|, at most. */
  readonly meanRelative?: number;
  /** |candidate - reference| / |reference| of 99 of 100 elements, at most. */
  readonly p99Relative?: number;
  /** Cosine similarity of the worst row, at least. */
  readonly cosine?: number;
  /** Mean cosine similarity of the rows, at least. */
  readonly meanCosine?: number;
  /** Share of positions whose largest value stands at the same place, at least. */
  readonly top1?: number;
  /** Share of elements that are the same, at least. */
  readonly exact?: number;
  /** Largest difference of the candidate's rows alone and in a batch, at most. */
  readonly batchDependence?: number;
  /** Another float dtype is no fault. */
  readonly dtype?: "any";
}

/** Names entries, output folder and target of a project; the identity, for types and completion. */
export const defineConfig = (config: PipelineConfig): PipelineConfig => config;
