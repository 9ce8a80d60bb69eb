import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { attempt } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import { nodeFiles } from "@tritype/manifest";

/** A started process and the two pipes of its frames. */
export interface SpawnedNode {
  readonly process: ChildProcess;
  readonly toChild: Duplex;
  readonly fromChild: Duplex;
}

/**
 * Node's flags for a function, which may read its own folder, use the network, and do whatever else its step allows.
 * @param folder A real path, because Node resolves links before it checks permissions.
 * @param known The flags that this version of Node knows.
 */
export const nodeFlags = (
  folder: string,
  { allow }: Pick<NodeTwinOptions, "allow">,
  known: Pick<ReadonlySet<string>, "has"> = process.allowedNodeEnvironmentFlags,
): readonly string[] => {
  const has = (flag: string): boolean => known.has(flag);
  const packages = allow.addons === true ? packageFolders(folder) : [];
  const reads = [join(folder, "*"), ...packages.map((path) => join(path, "*")), ...(allow.fsRead ?? [])];
  const quiet = "--disable-warning=ExperimentalWarning";
  return [
    ...(has("--permission") ? ["--permission"] : ["--experimental-permission", quiet]),
    // Node before 25 always allows the network.
    ...(has("--allow-net") ? ["--allow-net", quiet] : []),
    ...reads.map((path) => `--allow-fs-read=${path}`),
    ...(allow.fsWrite ?? []).map((path) => `--allow-fs-write=${path}`),
    ...(allow.childProcess === true ? ["--allow-child-process"] : []),
    // Node before 20.12 has no such flag and always allows addons.
    ...(allow.addons === true && has("--allow-addons") ? ["--allow-addons"] : []),
    // Node warns about these permissions at each start, although the author has asked for them.
    ...(allow.addons === true || allow.childProcess === true ? ["--disable-warning=SecurityWarning"] : []),
    "--enable-source-maps",
  ];
};

/** `node_modules` in the folder and above it: packages with native code that the bundle imports are there. */
const packageFolders = (folder: string): readonly string[] => {
  const found = attempt(() => realpathSync(join(folder, "node_modules"))) ?? [];
  const above = dirname(folder);
  return [found, above === folder ? [] : packageFolders(above)].flat();
};

/**
 * Makes the process exit with its parent even while a function blocks its thread and it therefore does not notice that
 * its pipe was closed. `setpriv` is part of util-linux; without it, such a function keeps running until it returns.
 */
const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

/** Starts the host of a version folder with the Node that runs this process. */
export const spawnNode = (versionFolder: string, options: NodeTwinOptions): SpawnedNode => {
  const folder = realpathSync(versionFolder);
  const command = [
    ...(setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--"]),
    process.execPath,
    ...nodeFlags(folder, options),
    join(folder, nodeFiles.host),
    "3",
    "4",
  ];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    // It has its own process group, so that Ctrl-C does not reach it.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const [, , , toChild, fromChild] = child.stdio as unknown as readonly Duplex[];
  return { process: child, toChild: toChild as Duplex, fromChild: fromChild as Duplex };
};
