import { dirname, join } from "node:path";
import type { Tree } from "@tritype/compiler";
import { type Endpoint, openTemporary } from "@tritype/endpoint";
import { createFolderMaker } from "./staged-files.ts";
import { lendTreeFile } from "./write-tree-file.ts";

/** @param prefix A prefix for the folder's name. */
export const openTree = <E extends Endpoint>(
  prefix: string,
  tree: Tree,
  open: (repository: string) => Promise<E>,
): Promise<E> =>
  openTemporary(prefix, async (folder) => {
    const makeFolder = createFolderMaker();
    for (const [path, file] of tree) {
      makeFolder(dirname(join(folder, path)));
      lendTreeFile(join(folder, path), file);
    }
    return await open(join(folder, "model_repository"));
  });
