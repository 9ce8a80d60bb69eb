import type { Span } from "@tritype/core";
import type { ManifestPackage } from "@tritype/manifest";

/** A function with everything that it imports, or why there is none. `@tritype/project` makes it. */
export interface BundledFunction {
  readonly files: ReadonlyMap<"run.mjs" | "run.mjs.map", string>;
  /** npm packages inside the bundle, sorted by name. */
  readonly packages: readonly BundledPackage[];
  /** Packages with native addons: they stay outside, and npm installs them on the server. */
  readonly native: readonly NativePackage[];
  /** The author's mistakes; if there is at least one, `files` is not used. */
  readonly problems: readonly NodeProblem[];
}

/** A package inside a bundle. */
export interface BundledPackage extends Pick<ManifestPackage, "name" | "version"> {
  readonly licence: string | undefined;
}

/** A package that is built for each platform. */
export interface NativePackage {
  readonly name: string;
  readonly version: string;
}

/** Something in a function's modules that Node cannot run from a bundle. */
export interface NodeProblem {
  /** undefined if the place is unknown or outside of the project. */
  readonly at: Span | undefined;
  /** What it is, and why it cannot run. */
  readonly what: string;
  readonly help: string;
}

/** A function to bundle: the step's name, and where it is defined. */
export interface BundleRequest {
  readonly step: string;
  readonly at: Span;
}

/** Bundles the `run` of a step. */
export type Bundle = (request: BundleRequest) => BundledFunction;
