import { PipelineError } from "./error.ts";
import { generalError } from "./errors.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the filesystem is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "a file would be larger than allowed",
  EEXIST: "it is a file, not a folder",
  ENOENT: "there is no such folder",
  ENOTDIR: "there is a file where a folder must be",
  EISDIR: "there is a folder where a file must be",
};

/** The reason why `path` cannot be written; a `PipelineError` is returned unchanged. */
export const notWritable = (path: string, error: unknown, help: string): PipelineError => {
  if (PipelineError.is(error)) return error;
  const { code = "", message } = error as SystemError;
  const why = code in reasons ? `${reasons[code]} (${code})` : message;
  return generalError("file/not-writable", { path, why }, { cause: error, help });
};

/**
 * The reason why a file that the user named cannot be read, as a sentence. @param help The help text for a file that
 * exists.
 */
export const notReadable = (path: string, error: unknown, help?: string): PipelineError => {
  if (PipelineError.is(error)) return error;
  const { code, message } = error as SystemError;
  return code === "ENOENT" || code === "ENOTDIR"
    ? generalError("file/not-found", { path }, { cause: error })
    : generalError(
        "file/not-readable",
        { path, why: code === "EISDIR" ? "it is a folder" : message },
        { cause: error, help },
      );
};

/** An error that Node.js throws. */
interface SystemError {
  readonly code?: string;
  readonly message: string;
}
