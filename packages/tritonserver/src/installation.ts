import type { Environment } from "@tritype/wheels";

/** A tritonserver from PyPI's nvidia-pytriton in a virtual environment of the cache folder. All paths are absolute. */
export interface WheelInstallation {
  readonly kind: "wheel";
  /** Triton's container release of the same source, "24.10". */
  readonly release: string;
  readonly version: string;
  /** The environment's interpreter, which has numpy, onnxruntime, tokenizers and tritonclient. */
  readonly python: string;
  readonly environment: string;
  readonly executable: string;
  /** Folders from which the server and its stub load shared libraries. */
  readonly libraryFolders: readonly string[];
  readonly backends: string;
  readonly caches: string;
}

/** NVIDIA's container, run by a local Docker. */
export interface DockerInstallation {
  readonly kind: "docker";
  readonly release: string;
}

export type TritonInstallation = WheelInstallation | DockerInstallation;

export interface InstallOptions {
  /** See `cacheFolder`. Takes about 480 MB. */
  readonly cache: string;
  /** Called with a line of text at each step that takes time. */
  readonly notice: (line: string) => void;
  /** A Python interpreter to use instead of the detected ones. */
  readonly python?: string;
  readonly env?: Environment;
}
