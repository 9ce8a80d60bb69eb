import { generalError, type PipelineError } from "@tritype/core";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the filesystem is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "a file would be larger than allowed",
  EEXIST: "it is a file, not a folder",
  ENOTDIR: "a file is where a folder must be",
  EISDIR: "a folder is where a file must be",
};

/** Why `path` cannot be written, in words. */
export const notWritable = (path: string, error: unknown, help: string): PipelineError => {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const why = code in reasons ? `${reasons[code]} (${code})` : message;
  return generalError("file/not-writable", { path, why }, { cause: error, help });
};
