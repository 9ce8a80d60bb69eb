import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "@tritype/core";
import { installedBinding } from "@tritype/runtime";
import { emptyState, type Knob, parseState, type TuneState } from "@tritype/tune";
import { cacheFolder } from "@tritype/wheels";
import { machine } from "../bench/machine.ts";
import { ownVersion } from "../own-version.ts";
import type { Terminal } from "../terminal.ts";
import { writeFile } from "../write-file.ts";
import type { TunedProfile } from "./candidate.ts";
import type { TunePlan } from "./tune-plan.ts";

/** Everything that measurements depend on. */
export interface StateOptions {
  readonly plan: TunePlan;
  readonly profile: TunedProfile;
  readonly knobs: readonly Knob[];
  /** Path → hash of the build's files. */
  readonly files: Readonly<Record<string, string>>;
  /** The kind of server, its address, the device, and the content of the requests file. */
  readonly served: readonly unknown[];
  /** Whether to ignore existing measurements. */
  readonly fresh: boolean;
}

export interface StateFile {
  readonly known: TuneState;
  keep(state: TuneState): void;
}

/** The measurements of earlier runs of the same build with the same versions on this machine, in the cache; a run may have another number of candidates. */
export const openState = (terminal: Terminal, options: StateOptions): StateFile => {
  const { fresh, plan, ...rest } = options;
  const { runs: _, ...measuring } = plan;
  const { load: __, ...here } = machine();
  const versions = [ownVersion(), installedBinding().version];
  const key = hash("sha256", JSON.stringify([measuring, rest, here, versions]));
  const path = join(cacheFolder(terminal.env), "tune", `${key.slice(0, 24)}.json`);
  return {
    known: fresh ? emptyState(key) : parseState(readText(path), key),
    keep: (state) => writeFile(path, JSON.stringify(state), path, "set TRITYPE_CACHE to a writable folder"),
  };
};

const readText = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"));
