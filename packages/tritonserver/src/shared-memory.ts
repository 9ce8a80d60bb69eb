import { readFileSync } from "node:fs";

/**
 * Shared memory files through which Triton's process talks to its Python stubs. A server that is killed leaves them
 * behind, and they use memory until the machine restarts. Read it while the server runs; [] if the system has no
 * `/proc`.
 */
export const sharedMemoryOf = (pid: number): readonly string[] => {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, "utf8");
    return [...new Set(maps.match(/\/dev\/shm\/triton_\S+/g))];
  } catch {
    return [];
  }
};
