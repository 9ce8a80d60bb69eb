import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { attempt, type PipelineError } from "@tritype/core";
import { hasEnded, processMark } from "@tritype/wheels";
import { projectError } from "../errors.ts";

const patienceMs = 30_000;

/**
 * Runs `work` while no other process writes to the folder; waits up to 30 s for one that does. The lock of a dead process on this machine
 * is taken over.
 * @throws PipelineError `file/not-writable` if the other process does not finish.
 */
export const whileLocked = <T>(folder: string, work: () => T): T => {
  const lock = join(folder, ".lock");
  const deadline = performance.now() + patienceMs;
  while (!tryLock(lock)) {
    const owner = readOwner(lock);
    if (owner !== undefined && hasDied(owner)) breakLock(lock, owner);
    else if (performance.now() > deadline) throw occupied(folder, lock, owner);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  try {
    clearTraces(folder);
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
};

/** The first line is for users. */
const own = (): string => `${process.pid} on ${hostname()}\n${processMark}`;

const tryLock = (lock: string): boolean => {
  const mine = `${lock}-${process.pid}`;
  try {
    // On a full disk the file stays empty.
    writeFileSync(mine, own());
  } catch (error) {
    rmSync(mine, { force: true });
    throw error;
  }
  try {
    // A link appears together with its content. A file that is opened and then written could be read while it is
    // empty.
    linkSync(mine, lock);
    return true;
  } catch (error) {
    return codeOf(error) === "EEXIST" ? false : tryLockWithoutLinks(lock);
  } finally {
    rmSync(mine, { force: true });
  }
};

const tryLockWithoutLinks = (lock: string): boolean => {
  let file: number;
  try {
    file = openSync(lock, "wx");
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(file, own());
    return true;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
};

/** Deletes the files of processes on this machine that died before they acquired the lock. */
const clearTraces = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const pid = /^\.lock-(\d+)$/.exec(name)?.[1];
    if (pid === undefined) continue;
    const owner = readOwner(join(folder, name)) || `${pid} on ${hostname()}`;
    if (hasDied(owner)) rmSync(join(folder, name), { force: true });
  }
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const readOwner = (lock: string): string | undefined => attempt(() => readFileSync(lock, "utf8"));

const hasDied = (owner: string): boolean => {
  const [shown = "", mark] = owner.split("\n");
  const [pid, host] = shown.split(" on ");
  return host === hostname() && hasEnded(Number(pid), mark);
};

/** Two processes may find the same dead owner; the later one must not take the lock from the earlier one. */
const breakLock = (lock: string, owner: string): void => {
  const aside = `${lock}-${process.pid}`;
  try {
    renameSync(lock, aside);
    if (readFileSync(aside, "utf8") !== owner) linkSync(aside, lock);
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true });
};

const occupied = (folder: string, lock: string, owner: string | undefined): PipelineError =>
  projectError("build/locked", {
    folder,
    seconds: patienceMs / 1000,
    process: owner?.split("\n", 1)[0] || "unknown",
    lock,
  });
