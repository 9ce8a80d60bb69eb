import { defineErrors, type MakeError } from "@tritype/core";

/** Files on PyPI that cannot be fetched. */
export const wheelsErrors = {
  "install/disk-full": {
    code: "file/not-writable",
    message: "no space is left on the disk for {wheel}",
    help: "make room, or set TRITYPE_CACHE to a folder on another disk; completed files are kept",
  },
  "install/no-pip": {
    code: "tool/missing",
    message: "{problem}",
    help: "apt-get install python3 python3-venv, or name an interpreter with TRITYPE_PYTHON",
  },
  "install/no-space": {
    code: "file/not-writable",
    message: "{folder} needs {needed} during installation, but only {free} are free",
    help: "make room, or set TRITYPE_CACHE to a folder on another disk",
  },
  "install/pip-not-made": {
    code: "tool/missing",
    message: "{python} cannot install its own pip:\n{output}",
    help: "apt-get install python3-venv, or name another interpreter with TRITYPE_PYTHON",
  },
  "install/wheel-incomplete": {
    code: "file/not-readable",
    message: "the wheel of {wheel} has no {file}",
    help: "run the command again; if it fails again, the package index serves another wheel (PIP_INDEX_URL)",
  },
  "install/wheel-not-fetched": {
    code: "server/unreachable",
    message: "{wheel} could not be fetched:\n{output}",
    help: "check that pip can reach its package index (PIP_INDEX_URL), then run the command again: completed files are kept",
  },
  "install/wrong-bytes": {
    code: "file/not-readable",
    message: "the file downloaded for {wheel} is not the pinned wheel: its SHA-256 is not {hash}",
    help: "it was discarded; try again (the connection may have failed), then ask the operator of the index (PIP_INDEX_URL)",
  },
} as const;

export const wheelsError: MakeError<typeof wheelsErrors> = defineErrors(wheelsErrors);
