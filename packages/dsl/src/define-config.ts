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
   */
  readonly docker?: false | { readonly baseImage?: string };
}

/** Names entries, output folder and target of a project; the identity, for types and completion. */
export const defineConfig = (config: PipelineConfig): PipelineConfig => config;
