/**
 * The path, within a model's folder, of a file that the configuration names relative to a subfolder; undefined if it is
 * outside the model's folder. Triton ignores a leading "/".
 */
export const dataFile = (folder: string, file: string): string | undefined => {
  const parts = [folder];
  for (const part of file.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
};
