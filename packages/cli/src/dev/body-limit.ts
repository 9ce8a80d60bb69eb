import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, parseObject } from "@tritype/core";
import { defaultRelease, httpBodyLimitSince } from "@tritype/triton";

const limits = { triton: 64 * 2 ** 20, own: 256 * 2 ** 20 };

/**
 * The maximum length of an HTTP body for a repository, in bytes: Triton's own limit if the release for which the repository was built has
 * one, otherwise a limit that prevents a faulty client from exhausting the memory.
 */
export const bodyLimitOf = (repository: string): number =>
  targetOf(repository) >= httpBodyLimitSince ? limits.triton : limits.own;

/** The target release of the build that the repository belongs to. */
const targetOf = (repository: string): string => {
  const manifest = attempt(() => parseObject(readFileSync(join(dirname(repository), "manifest.json"))));
  const target = manifest?.["target"];
  return typeof target === "string" ? target : defaultRelease.container;
};
