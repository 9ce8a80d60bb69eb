// Runs before anything is installed: it may use only Node's own modules.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Runs a program in the workspace with this terminal; resolves to its exit code. */
export async function run(program, argv, { env = {}, cwd = root } = {}) {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, argv, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/**
 * Runs the pinned pnpm: the installed one, or else through npx, which takes a second more. npx is a script on Windows and needs a shell;
 * `argv` must be free of spaces there.
 */
export async function pnpm(argv, { env = {}, quiet = false } = {}) {
  const installed = installedPnpm();
  const [program, first] =
    installed === undefined ? ["npx", ["--yes", manifest.packageManager]] : [process.execPath, [installed]];
  return await new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...argv], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["inherit", quiet ? "ignore" : "inherit", "inherit"],
      shell: installed === undefined && process.platform === "win32",
    });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** The script of the pnpm in node_modules. There is none before the first installation, and another one before that of an update. */
function installedPnpm() {
  const folder = join(root, "node_modules/pnpm");
  if (!existsSync(folder)) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `pnpm@${version}` === manifest.packageManager ? join(folder, "bin/pnpm.cjs") : undefined;
}

/** Runs the script of a package that the workspace's root has under node_modules. */
export async function runTool(script, argv, options) {
  return await run(process.execPath, [join(root, "node_modules", script), ...argv], options);
}

/** Ends the process with a message if a step failed. */
export function demand(code, what) {
  if (code === 0) return;
  console.error(`${what} failed (exit code ${code})`);
  process.exit(code);
}
