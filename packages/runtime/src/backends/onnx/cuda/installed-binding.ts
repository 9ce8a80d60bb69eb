import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The onnxruntime-node that the runtime uses. */
export interface InstalledBinding {
  /** "1.30.0" */
  readonly version: string;
  /** Path of ONNX Runtime itself, to which the binding links. */
  readonly library: string;
}

/** Reads the package without loading any of it. */
export const installedBinding = (): InstalledBinding => {
  const manifest = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const binaries = join(dirname(manifest), "bin", "napi-v6", process.platform, process.arch);
  return { version, library: join(binaries, libraryName) };
};

/** The library name that the binding requests from the loader. */
export const libraryName = "libonnxruntime.so.1";
