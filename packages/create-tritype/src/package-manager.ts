import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { clone } from "./clone.ts";

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

/** The commands of each package manager that a new project needs. */
export interface PackageManagerCommands {
  readonly install: string;
  readonly test: string;
  /** The command prefix for a bin of the project. */
  readonly exec: string;
}

export const packageManagers: Readonly<Record<PackageManager, PackageManagerCommands>> = {
  npm: { install: "npm install", test: "npm test", exec: "npx" },
  pnpm: { install: "pnpm install", test: "pnpm test", exec: "pnpm exec" },
  yarn: { install: "yarn install", test: "yarn test", exec: "yarn" },
  bun: { install: "bun install", test: "bun run test", exec: "bunx" },
};

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/**
 * The package manager of the nearest lock file, in the folder or above it, except that of a clone of Tritype; otherwise the program that started this
 * process; otherwise npm.
 */
export const packageManagerOf = (
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): PackageManager => {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = lockFiles.find(([file]) => join(at, "/") !== clone && existsSync(join(at, file)));
    if (found !== undefined) return found[1];
    if (at === dirname(at)) break;
  }
  const agent = /^\w+/.exec(env["npm_config_user_agent"] ?? "")?.[0] ?? "";
  return agent in packageManagers ? (agent as PackageManager) : "npm";
};
