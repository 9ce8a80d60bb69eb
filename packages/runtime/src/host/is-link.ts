import { lstatSync } from "node:fs";
import { attempt } from "@tritype/core";

/** Whether a path is a symbolic link, regardless of its target; false if the path does not exist. */
export const isLink = (path: string | Buffer): boolean =>
  attempt(() => lstatSync(path).isSymbolicLink()) ?? false;
