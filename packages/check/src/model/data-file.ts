/**
 * The path in a model's folder of a file that its configuration names relative to one of its subfolders; undefined if it is outside
 * the model. Triton ignores a leading "/".
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
