import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { pipeline } from "../../cli/run-pipeline.ts";
import type { DeployedProject } from "../deployed-project.ts";

/** A storage service on this machine, and the environment in which the script finds its client, logged in to the service. */
export interface StorageService {
  /** The value of `--models`. */
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** The files of a build in the storage: path in the model repository → SHA-256. The marker is ".complete". */
  readonly stored: (build: string) => Promise<Readonly<Record<string, string>>>;
  /** Whether an upload that is running has sent a part. Default: once something is stored. */
  readonly begun?: (build: string) => Promise<boolean>;
  /** Settings with which an upload fails, and what the script says then. */
  readonly refusals: readonly {
    readonly url?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly says: RegExp;
  }[];
}

/**
 * Uploads the build as a user does: first without what it needs, then interrupted, then completely and once more.
 * Returns the build's address as the script names it.
 */
export const uploadInSteps = async (made: DeployedProject, service: StorageService): Promise<string> => {
  // Large enough to be interrupted; a build may contain caches that it did not write.
  made.write("build/model_repository/total/1/__pycache__/large.pyc", randomBytes(9_500_000));
  const manifest = readFileSync(made.path("build/manifest.json"));
  const build = sha256(manifest).slice(0, 12);
  for (const { url = service.url, env = {}, says } of service.refusals) {
    await deploy(made, url);
    const { code, output } = await upload(made, { ...service.env, ...env });
    expect(output).toMatch(says);
    expect(code).toBeGreaterThan(0);
  }
  await deploy(made, service.url);
  expect(await service.stored(build)).toEqual({});

  await interruptedUpload(made, service, build);
  expect(await service.stored(build)).not.toHaveProperty([".complete"]);

  expect(await upload(made, service.env)).toMatchObject({ code: 0 });
  const repository = made.path("build/model_repository");
  const expected = Object.fromEntries(
    filesIn(repository).map((path) => [path, sha256(readFileSync(join(repository, path)))]),
  );
  const { [".complete"]: marker, ...stored } = await service.stored(build);
  expect(stored).toEqual(expected);
  expect(marker).toBeDefined();

  const { code, output } = await upload(made, service.env);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(" is complete\n") });
  return /(\S+) is complete/.exec(output)?.[1] ?? "";
};

const deploy = async (made: DeployedProject, url: string): Promise<void> =>
  expect(await pipeline(made, ["deploy", "--models", url])).toMatchObject({ code: 0 });

const script = (made: DeployedProject, env: NodeJS.ProcessEnv) =>
  spawn("sh", ["deploy/models/upload.sh", "build"], { cwd: made.root, env, detached: true });

/** Runs the script. Returns its exit code, and its output with its errors. */
export const upload = async (
  made: DeployedProject,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = script(made, env);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => {
      output += part.toString();
    });
  await once(child, "close");
  return { code: child.exitCode, output };
};

/** Kills the script and its client as soon as a part of the models has been sent. */
const interruptedUpload = async (
  made: DeployedProject,
  { env, stored, begun = async (build) => Object.keys(await stored(build)).length > 0 }: StorageService,
  build: string,
): Promise<void> => {
  const child = script(made, env);
  const ended = once(child, "close");
  child.stdout.resume();
  child.stderr.resume();
  while (!(await begun(build))) {
    if (child.exitCode !== null)
      throw new Error(`The upload ended with ${child.exitCode} before it sent anything`);
    await sleep(5);
  }
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  await ended;
  expect(child.signalCode).toBe("SIGKILL");
};

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );

/** The path of an object in the model repository; ".complete" for the marker. */
export const pathOf = (object: string, build: string): string =>
  object.slice(object.indexOf(build) + build.length).replace(/^\//, "");
