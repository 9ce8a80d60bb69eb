/** The content of one release of Triton's container. */
export interface TritonRelease {
  /** The container's tag, `yy.mm`. */
  readonly container: string;
  readonly server: string;
  /** Version of the python backend; undefined if the release notes do not say. */
  readonly python: string | undefined;
  readonly onnxruntime: string;
  /** The newest ONNX opset, IR version and `ai.onnx.ml` opset that its ONNX Runtime loads. */
  readonly maxOpset: number;
  readonly maxIrVersion: number;
  readonly maxMlOpset: number;
}

const release = (
  container: string,
  server: string,
  python: string | undefined,
  onnxruntime: string,
  [maxOpset, maxIrVersion, maxMlOpset]: readonly [opset: number, irVersion: number, mlOpset: number],
): TritonRelease => ({ container, server, python, onnxruntime, maxOpset, maxIrVersion, maxMlOpset });

/**
 * Oldest first. Source: the release branches of the Triton server repository (`TRITON_VERSION`, `build.py`) and its
 * compatibility page; the limits were measured by loading minimal models in each ONNX Runtime from PyPI.
 */
export const releases: readonly TritonRelease[] = [
  release("24.01", "2.42.0", undefined, "1.16.3", [19, 9, 3]),
  release("24.02", "2.43.0", undefined, "1.16.3", [19, 9, 3]),
  release("24.03", "2.44.0", undefined, "1.17.2", [20, 9, 4]),
  release("24.04", "2.45.0", "3.10.12", "1.17.3", [20, 9, 4]),
  release("24.05", "2.46.0", "3.10.12", "1.18.0", [21, 10, 5]),
  release("24.06", "2.47.0", "3.10.12", "1.18.0", [21, 10, 5]),
  release("24.07", "2.48.0", "3.10.12", "1.18.1", [21, 10, 5]),
  release("24.08", "2.49.0", "3.10.12", "1.19.0", [21, 10, 5]),
  release("24.09", "2.50.0", "3.10.12", "1.19.2", [21, 10, 5]),
  release("24.10", "2.51.0", "3.10.12", "1.19.2", [21, 10, 5]),
  release("24.11", "2.52.0", "3.12.3", "1.19.2", [21, 10, 5]),
  release("24.12", "2.53.0", "3.12.3", "1.20.1", [21, 10, 5]),
  release("25.01", "2.54.0", "3.12.3", "1.20.1", [21, 10, 5]),
  release("25.02", "2.55.0", "3.12.3", "1.20.1", [21, 10, 5]),
  release("25.03", "2.56.0", "3.12.3", "1.21.0", [22, 10, 5]),
  release("25.04", "2.57.0", "3.12.3", "1.21.0", [22, 10, 5]),
  release("25.05", "2.58.0", "3.12.3", "1.22.0", [22, 10, 5]),
  release("25.06", "2.59.0", "3.12.3", "1.22.0", [22, 10, 5]),
  release("25.07", "2.59.1", "3.12.3", "1.22.0", [22, 10, 5]),
  release("25.08", "2.60.0", "3.12.3", "1.23.0", [23, 11, 5]),
  release("25.09", "2.61.0", "3.12.3", "1.23.0", [23, 11, 5]),
  release("25.10", "2.62.0", "3.12.3", "1.23.1", [23, 11, 5]),
  release("25.11", "2.63.0", "3.12.3", "1.23.2", [23, 11, 5]),
  release("25.12", "2.64.0", "3.12.3", "1.23.2", [23, 11, 5]),
  release("26.01", "2.65.0", "3.12.3", "1.23.2", [23, 11, 5]),
  release("26.02", "2.66.0", "3.12.3", "1.24.1", [25, 13, 5]),
  release("26.03", "2.67.0", "3.12.3", "1.24.2", [25, 13, 5]),
  release("26.04", "2.68.0", "3.12.3", "1.24.4", [25, 13, 5]),
  release("26.05", "2.69.0", "3.12.3", "1.24.4", [25, 13, 5]),
  release("26.06", "2.70.0", "3.12.3", "1.24.4", [25, 13, 5]),
  release("26.07", "2.71.0", "3.12.3", "1.27.0", [26, 13, 5]),
  release("26.08", "2.72.0", undefined, "1.28.0", [26, 13, 5]),
];

/** The release of a container's tag, such as `"24.10"`; undefined for unknown tags. */
export const releaseOf = (container: string): TritonRelease | undefined =>
  releases.find((release) => release.container === container);

/**
 * Whether its ensembles survive a step that fails before its parallel steps have started. Sources: core#466 (26.02) for the
 * hang, core#483 (26.05) for the crash.
 */
export const outlivesFailures = ({ container }: TritonRelease): boolean => container >= "26.05";

/**
 * Since this release HTTP bodies are limited to 64 MiB unless `--http-max-input-size` sets another limit; earlier
 * releases had no limit.
 */
export const httpBodyLimitSince = "25.06";

/**
 * The first release with `--model-config-name`. Source: `command_line_parser.cc` on the release branches of Triton's
 * `server` repository.
 */
export const profilesSince = "24.05";

const defaultContainer = "24.10";

/** The default target: the release whose real server checks the emitted files; later ones load them too. */
export const defaultRelease: TritonRelease = releases.find(
  ({ container }) => container === defaultContainer,
) as TritonRelease;
