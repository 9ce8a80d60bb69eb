import type { BundledFunction } from "@tritype/compiler";

/** A bundle that has no problems. */
export interface BundleContent extends Pick<BundledFunction, "packages" | "native"> {
  readonly text: string;
  readonly map: string;
}
