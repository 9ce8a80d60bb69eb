import { readdirSync, readFileSync } from "node:fs";

/**
 * For `onLine` of a Triton: kills it as soon as it reports that it crashes. It would start 40 processes first, one after the other, which
 * look up the names on its stack.
 */
export const endCrashed =
  (repository: string): ((line: string) => void) =>
  (line) => {
    if (crash.test(line)) killServer(repository);
  };

/** The first line of a Triton that crashes. */
const crash = /^Signal \(\d+\) received/;

const killServer = (repository: string): void => {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (command.includes(`--model-repository=${repository}\0`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended.
    }
  }
};
