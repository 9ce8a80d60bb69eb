/**
 * A path below a folder, without "." and ".."; undefined if it leads out of the root.
 * A leading "/" is not the root: Triton joins paths.
 */
export const resolvePath = (folder: string, path: string): string | undefined => {
  const found = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") found.push(part);
    else if (found.pop() === undefined) return undefined;
  }
  return found.join("/");
};
