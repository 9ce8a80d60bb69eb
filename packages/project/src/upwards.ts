import { dirname } from "node:path";

/** A folder and all folders that contain it, the nearest first. */
export const upwards = (folder: string): readonly string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];
