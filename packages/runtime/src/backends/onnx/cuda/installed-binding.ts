import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The onnxruntime-node that the runtime runs on. */
export interface InstalledBinding {
  /** "1.30.0" */
  readonly version: string;
  /** Path of ONNX Runtime itself, which the binding links. */
  readonly library: string;
}

/** Reads the package; loads nothing of it. */
export const installedBinding = (): InstalledBinding => {
  const manifest = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const binaries = join(dirname(manifest), "bin", "napi-v6", process.platform, process.arch);
  return { version, library: join(binaries, libraryName) };
};

/** What the binding asks the loader for. */
export const libraryName = "libonnxruntime.so.1";
