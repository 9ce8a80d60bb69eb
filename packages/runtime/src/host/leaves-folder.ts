import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { attempt } from "@tritype/core";
import { isLink } from "./is-link.ts";
import { pathBytes } from "./odd-names.ts";

/**
 * Whether a path below a folder leads out of the folder through links; false if the path does not exist. The
 * folder itself may be a link: the user named it.
 */
export const leavesFolder = (root: string): ((path: string) => boolean) => {
  const bytesOf = (path: string): Buffer => pathBytes(path === "" ? root : `${root}/${path}`);
  let real: string | undefined;
  const leads = (path: string): boolean => {
    const target = realPath(bytesOf(path));
    if (target === undefined) return false;
    real ??= realPath(bytesOf("")) ?? root;
    return target !== real && !target.startsWith(real.endsWith(sep) ? real : real + sep);
  };
  let folder = { path: "", leaves: false };
  return (path) => {
    if (path === "") return false;
    const parent = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    if (folder.path !== parent) folder = { path: parent, leaves: parent !== "" && leads(parent) };
    return folder.leaves || (isLink(bytesOf(path)) && leads(path));
  };
};

/** The target of a path, one character for each byte; undefined if it does not exist. */
export const realPath = (path: Buffer): string | undefined =>
  attempt(() => realpathSync(path, { encoding: "buffer" }).toString("latin1"));
