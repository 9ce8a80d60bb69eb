import type { NodeProblem } from "./node-problem.ts";

/** A bundled function that runs on Node, or the reasons why it cannot be bundled. */
export interface BundledFunction {
  /** `run.mjs` exports `run`. Empty if there are problems. */
  readonly files: ReadonlyMap<"run.mjs" | "run.mjs.map", string>;
  /** npm packages inside the bundle, sorted by name. */
  readonly packages: readonly BundledPackage[];
  /** Packages with native addons, which stay outside the bundle and which npm installs on the server; sorted by name. */
  readonly native: readonly NativePackage[];
  readonly problems: readonly NodeProblem[];
}

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The licence in its package.json, otherwise the name of its licence file. */
  readonly licence: string | undefined;
}

export interface NativePackage {
  readonly name: string;
  readonly version: string;
}

/** A bundle that has no problems. */
export interface BundleContent extends Pick<BundledFunction, "packages" | "native"> {
  readonly text: string;
  readonly map: string;
}
