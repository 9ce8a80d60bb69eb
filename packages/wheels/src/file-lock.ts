import { spawn } from "node:child_process";
import { once } from "node:events";
import { notWritable } from "@tritype/core";

/**
 * Runs `work` while only this process holds the lock on `file`. The kernel releases the lock when either this process
 * or the Python that holds it ends, so it never becomes stale. Linux only: flock(2).
 */
export async function withFileLock<T>(python: string, file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn(python, ["-I", "-S", "-c", script, file], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(holder, "close");
  const locked = await Promise.race([once(holder.stdout, "data").then(() => true), closed.then(() => false)]);
  if (!locked)
    throw notWritable(file, new Error("it cannot be locked"), "set TRITYPE_CACHE to a writable folder");
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await closed;
  }
}

// Ctrl-C reaches this Python too; it ends when its stdin does.
const script = `
import fcntl, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    sys.stdin.read()
`;
