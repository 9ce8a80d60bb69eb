import type { Site, Span } from "@tritype/core";
import type { ManifestPackage } from "@tritype/manifest";

/** A function with everything that it imports, or the reasons why there is no bundle. `@tritype/project` creates it. */
export interface BundledFunction {
  readonly files: ReadonlyMap<"run.mjs" | "run.mjs.map", string>;
  /** `inputs.mjs`, if a JSON input has a type that can be checked. */
  readonly jsonReaders?: string | undefined;
  /** npm packages inside the bundle, sorted by name. */
  readonly packages: readonly BundledPackage[];
  /** Packages with native addons, which stay outside the bundle and which npm installs on the server; sorted by name. */
  readonly native: readonly NativePackage[];
  /** The author's mistakes; if there is at least one, `files` is not used. */
  readonly problems: readonly NodeProblem[];
}

/** A package inside a bundle. */
export interface BundledPackage extends Pick<ManifestPackage, "name" | "version"> {
  /** The licence in its package.json, otherwise the name of its licence file. */
  readonly licence: string | undefined;
}

/** A package that is built for each platform. */
export interface NativePackage {
  readonly name: string;
  readonly version: string;
}

/** The reason why a function cannot be bundled for Node. */
export interface NodeProblem {
  readonly code: string;
  /** A position in the author's files. */
  readonly at: Span;
  /** One sentence. */
  readonly message: string;
  /** The fix. */
  readonly help: string | undefined;
}

/** A function to bundle: the step's name, and the positions at which it is defined, innermost first (at least one). */
export interface BundleRequest {
  readonly step: string;
  readonly site: Site;
}

/** Bundles a step's `run` function. */
export type Bundle = (request: BundleRequest) => BundledFunction;
