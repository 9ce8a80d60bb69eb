import type { TritonRelease } from "./releases.ts";

/** NVIDIA's container images of one release, and the packages that their own recipe installs. */
export interface TritonContainer {
  /** The whole release: the server, every backend, Python, `curl`, and the user `triton-server` with the id 1000. */
  readonly image: string;
  /** The base of the full image: CUDA without Triton. */
  readonly minImage: string;
  /** Version of Ubuntu; it determines Python's version. */
  readonly ubuntu: "22.04" | "24.04";
  /** Major and minor version of the python backend, `3.10`. */
  readonly python: "3.10" | "3.12";
  /** Names of the folders in `/opt/tritonserver/backends` of the full image. */
  readonly backends: readonly string[];
  /** Ubuntu packages that the recipe installs for every server. */
  readonly packages: readonly string[];
  /** Ubuntu packages that it adds for a backend. */
  readonly backendPackages: Readonly<Record<"onnxruntime" | "python", readonly string[]>>;
  /** Packages of NVIDIA's CUDA repository for that Ubuntu: the server links DCGM, even on machines without a GPU. */
  readonly nvidiaPackages: readonly string[];
  /** The package with the keys of that repository, and its SHA-256 for each processor architecture. */
  readonly keyring: { readonly file: string; readonly x86: string; readonly arm: string };
}

/**
 * Source: `dockerfile_prepare_container_linux` of `build.py`, which `compose.py` calls, in the branches r24.01 to
 * r26.08 of the Triton server repository. The hashes of the keyring are those that public repositories check;
 * the tests do not have the package itself.
 */
export const containerOf = ({ container }: TritonRelease): TritonContainer => {
  const since = (release: string): boolean => container >= release;
  const noble = since("24.11");
  const image = `nvcr.io/nvidia/tritonserver:${container}-py3`;
  return {
    image,
    minImage: `${image}-min`,
    ubuntu: noble ? "24.04" : "22.04",
    python: noble ? "3.12" : "3.10",
    backends: [...backends, ...(since("25.03") ? [] : ["tensorflow"])].toSorted(),
    packages: [
      ...packages,
      ...(noble ? ["python3-pip"] : ["libre2-9"]),
      ...(since("25.09") ? [] : ["software-properties-common"]),
      ...(since("26.06") ? ["libssl-dev"] : []),
    ].toSorted(),
    backendPackages: {
      onnxruntime: ["libgomp1"],
      python: [
        "libarchive-dev",
        "libpython3-dev",
        "python3",
        "python3-pip",
        ...(noble ? ["python3-setuptools", "python3-wheel"] : []),
      ],
    },
    nvidiaPackages: since("25.08")
      ? [
          `datacenter-gpu-manager-4-core=1:${dcgmOf(container)}`,
          `datacenter-gpu-manager-4-dev=1:${dcgmOf(container)}`,
        ]
      : [`datacenter-gpu-manager=1:${dcgmOf(container)}`],
    keyring: {
      file: "cuda-keyring_1.1-1_all.deb",
      x86: noble
        ? "d2a6b11c096396d868758b86dab1823b25e14d70333f1dfa74da5ddaf6a06dba"
        : "d93190d50b98ad4699ff40f4f7af50f16a76dac3bb8da1eaaf366d47898ff8df",
      arm: noble
        ? "6ea7d2737648936820e85677177957a0f6521b840d98eb0bbae0a4f003fa7249"
        : "36d1aed84dfcf93ee9a0212d149f1c4187db92e03ab96a759ec0689aa438fd9e",
    },
  };
};

const backends = [
  "dali",
  "fil",
  "identity",
  "onnxruntime",
  "openvino",
  "python",
  "pytorch",
  "repeat",
  "square",
  "tensorrt",
];

const packages = [
  "clang",
  "curl",
  "dirmngr",
  "git",
  "gperf",
  "libb64-0d",
  "libcurl4-openssl-dev",
  "libgoogle-perftools-dev",
  "libjemalloc-dev",
  "libnuma-dev",
  "wget",
];

/** First release with each version of DCGM, newest first. */
const dcgm: readonly (readonly [since: string, version: string])[] = [
  ["26.08", "4.6.1-1"],
  ["26.04", "4.5.3-1"],
  ["26.02", "4.5.2-1"],
  ["25.12", "4.4.2-1"],
  ["25.08", "4.4.0-1"],
  ["24.11", "3.3.6"],
  ["24.01", "3.2.6"],
];

const dcgmOf = (container: string): string =>
  dcgm.find(([since]) => container >= since)?.[1] ?? (dcgm[0]?.[1] as string);
