// Runs before anything is installed: it may use only Node's own modules.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./workspace.mjs";

/** The Debian packages that the tests need, with their purpose. */
const needs = [
  {
    packages: (version) => [`python${version}`],
    why: "Triton's Python backend runs on it",
    found: () => existsSync(python),
  },
  {
    packages: (version) => [`libpython${version}`],
    why: "Triton's Python backend links it",
    found: (version) => sharedLibrary(version),
  },
  {
    packages: (version) => [`python${version}-venv`],
    why: "the tests' Python packages go into a virtual environment",
    found: () => pythonRuns("import ensurepip, venv"),
  },
  { packages: () => ["curl"], why: "an image's health check calls it", found: () => onPath("curl") },
  {
    packages: () => ["chromium-headless-shell"],
    why: "the emitted client and the inspector run in a browser",
    found: () => process.env["TRITYPE_CHROMIUM"] !== undefined || browsers.some((path) => existsSync(path)),
  },
  {
    // Without this BLAS, Debian's PyTorch is slow.
    packages: () => ["python3-torch", "libopenblas0-pthread"],
    why: "TorchScript models run on it",
    found: () => pythonRuns("import importlib.util as u; raise SystemExit(u.find_spec('torch') is None)"),
  },
];

const python = "/usr/bin/python3";
const browsers = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/**
 * Installs the missing Debian packages that the tests need (about 900 MB on disk if all are missing), as root or with
 * sudo. On other systems it lists the missing packages; the tests that need them fail.
 */
export async function installSystemPackages() {
  const version = pythonVersion();
  const missing = needs.filter(({ found }) => !found(version));
  if (missing.length === 0) return;
  const packages = missing.flatMap((need) => need.packages(version));
  console.log("the tests need system packages that are missing:");
  for (const need of missing) console.log(`  ${need.packages(version).join(" ")}: ${need.why}`);
  const asRoot = rootCommand();
  if (asRoot === undefined) {
    console.log(`install them as root, then run this again (without them, the tests that need them fail):`);
    console.log(`  apt-get install --no-install-recommends ${packages.join(" ")}`);
    return;
  }
  console.log(`installing them with ${[...asRoot, "apt-get"].join(" ")}`);
  const [program, ...argv] = [...asRoot, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  await run(program, [...argv, "update", "-qq"]);
  const code = await run(program, [...argv, "install", "-qq", "-y", "--no-install-recommends", ...packages]);
  if (code !== 0)
    console.error(`apt-get failed (exit code ${code}): tests that need ${packages.join(", ")} fail`);
}

/** How to run a command as root: no prefix, `sudo`, or undefined if neither works or there is no apt-get. */
function rootCommand() {
  if (!onPath("apt-get")) return undefined;
  if (process.getuid?.() === 0) return [];
  if (!onPath("sudo")) return undefined;
  // On a terminal, sudo can ask for the password.
  return process.stdin.isTTY || spawnSync("sudo", ["-n", "true"]).status === 0 ? ["sudo"] : undefined;
}

function pythonVersion() {
  const code = "import sys; print('%d.%d' % sys.version_info[:2])";
  const answer = spawnSync(python, ["-c", code], { encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim() : "3.11";
}

function pythonRuns(code) {
  return spawnSync(python, ["-c", code]).status === 0;
}

/** Whether `libpython<version>.so.1.0` is in a folder of the system's libraries. */
function sharedLibrary(version) {
  const places = ["/usr/lib", "/usr/lib64"].filter((path) => existsSync(path));
  const folders = places.flatMap((path) => [path, ...subfolders(path)]);
  return folders.some((folder) => existsSync(join(folder, `libpython${version}.so.1.0`)));
}

function subfolders(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
}

function onPath(program) {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}

if (process.argv[1] === import.meta.filename) await installSystemPackages();
