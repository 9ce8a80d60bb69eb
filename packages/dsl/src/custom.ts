import type { Signature } from "@tritype/core";
import type { Inferring, Signed } from "./inferring.ts";
import type { ServedModel } from "./served-model.ts";
import type { StandInFields } from "./stand-in.ts";
import { makeDeclared } from "./step.ts";
import type { StepOf, Versions } from "./versions.ts";

/** Options for one version of a model on any backend. */
interface OneCustom {
  /** The model's file, as a path relative to the project's root. */
  readonly file?: string;
  /** Additional content of the version folder: maps a name in that folder to a file or folder in the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** The same option as on the step. */
  readonly standIn?: string;
}

/** Options for a step that serves a model on any backend. */
export interface CustomOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends Omit<ServedModel<I, O>, "profiles">,
    StandInFields {
  /** The backend's name: Triton looks for `libtriton_<backend>.so`, or for a Python-based backend with that name. */
  readonly backend: string;
  /**
   * The model's file, as a path relative to the project's root. It keeps its file name, which is also written to the configuration.
   * Default: none.
   */
  readonly file?: string;
  /** Additional content of the version folder: maps a name in that folder to a file or folder in the project. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Instead of `file` and `files`: the files of each version. Triton only serves the highest version unless `versionPolicy` says otherwise.
   */
  readonly versions?: Versions<OneCustom>;
}

/** A model on a backend without its own step kind: `dali`, `fil`, `vllm`, or your own backend. */
export const custom = <const M extends Signed>(
  options: Inferring<M, CustomOptions<M["inputs"]>>,
): StepOf<M["inputs"], M["outputs"], M> => makeDeclared("custom", options, custom);
