/**
 * A path below a folder, without "." and ".."; undefined if it leads out of the root. As in the operating system, each part
 * that another one follows must be a folder. A leading "/" is not the root: Triton joins paths.
 * @param isFolder Default: every part is a folder.
 */
export const resolvePath = (
  folder: string,
  path: string,
  isFolder: (path: string) => boolean = () => true,
): string | undefined => {
  const found = folder === "" ? [] : folder.split("/");
  for (const part of path === "" ? [] : path.split("/")) {
    if (part !== "" && part !== "." && part !== "..") found.push(part);
    else if (!isFolder(found.join("/")) || (part === ".." && found.pop() === undefined)) return undefined;
  }
  return found.join("/");
};

/** Whether a path in a model's folder stays in the repository. */
export const inRepository = (path: string): boolean => resolvePath("model", path) !== undefined;
