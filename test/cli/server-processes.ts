import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The processes of our own servers that a command has started; the oldest one first. */
export const serversOf = (parent: number): readonly number[] =>
  readdirSync("/proc")
    .filter((entry) => {
      if (!/^\d+$/.test(entry)) return false;
      try {
        const [, after = ""] = readFileSync(join("/proc", entry, "stat"), "utf8").split(") ");
        const command = readFileSync(join("/proc", entry, "cmdline"), "utf8");
        return after.split(" ")[1] === String(parent) && command.includes("serve-worker");
      } catch {
        return false;
      }
    })
    .map(Number)
    .toSorted((a, b) => a - b);
