import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProjectFixture } from "../fixtures/project.ts";
import { type Ended, pipeline } from "./run-pipeline.ts";

/** A new folder for what `pipeline tune` remembers, which is removed when the test ends. */
export const cached = (): Readonly<Record<string, string>> => {
  const cache = mkdtempSync(join(tmpdir(), "tune-cache-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  return { TRITYPE_CACHE: cache };
};

/** A load that leaves the processor idle most of the time, with at least five answers in each measurement. */
export const rate = ["--rate", "80/s"];

/** A file of nine requests, of which two differ. */
export const repeating = [1, 1, 1, 1, 2, 1, 1, 1, 1]
  .map((first) => JSON.stringify({ x: [[first, 2, 3, 4]] }))
  .join("\n");

/** Tries only the current settings and the first candidate: noise would decide between further, equally fast ones. */
export const short = ["--target", "latency", ...rate, "--seconds", "0.1", "--cores", "1", "--runs", "2"];

export const tune = (
  files: ProjectFixture,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Ended> => pipeline(files, ["tune", ...short, ...args], { env });
