/** One wheel on PyPI and the files to take from it. */
export interface PinnedWheel {
  /** "nvidia-cublas" */
  readonly project: string;
  readonly version: string;
  /** Its platform tag, "manylinux_2_27_x86_64". */
  readonly platform: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** Length of the file. */
  readonly bytes: number;
  /** File names to keep; everything else in the wheel is deleted. */
  readonly libraries: readonly string[];
}
