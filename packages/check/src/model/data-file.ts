import { inRepository } from "./resolve-path.ts";

/**
 * The path, within a model's folder, of a file that the configuration names relative to a subfolder; undefined if it is
 * outside the repository.
 */
export const dataFile = (folder: string, file: string): string | undefined =>
  inRepository(`${folder}/${file}`) ? `${folder}/${file}` : undefined;
