import type { ProfileFields } from "./model-fields/profile-fields.ts";

/** The fields that one profile overrides for a step with a stand-in. */
export interface StandInProfile extends ProfileFields {
  /**
   * Whether to serve the stand-in instead of the model, on the ONNX Runtime backend. The step's own `instanceGroup`, `optimization` and
   * `parameters` are for its own backend and then do not apply; set them in the profile instead. Default false.
   */
  readonly useStandIn?: boolean;
}

/** Options for a step whose backend may be missing on some machines. */
export interface StandInFields {
  /**
   * An ONNX file with the declared inputs and outputs, as a path relative to the project's root: `pipeline dev`, `run`, `verify` and the
   * capture of warmup samples run it if the model's own backend is missing; profiles with `useStandIn: true` serve it. Default none.
   */
  readonly standIn?: string;
  /** Maps a profile in `pipeline.config.ts` to the fields that it overrides. Default: none. */
  readonly profiles?: Readonly<Record<string, StandInProfile>>;
}
