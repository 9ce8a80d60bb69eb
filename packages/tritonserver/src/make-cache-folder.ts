import { notWritable } from "@tritype/core";
import { makeFolders } from "@tritype/wheels";

/** Creates a folder of the cache. @throws PipelineError `file/not-writable` */
export const makeCacheFolder = (folder: string): void => {
  try {
    makeFolders(folder);
  } catch (error) {
    throw notWritable(folder, error, "set TRITYPE_CACHE to a writable folder");
  }
};
