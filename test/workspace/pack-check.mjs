import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { demand, pnpm, root, runTool } from "./workspace.mjs";

const packages = readdirSync(join(root, "packages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")))
  .filter((manifest) => manifest.private !== true);

await bootstrap();
const folder = mkdtempSync(join(tmpdir(), "tritype-pack-"));
try {
  process.exitCode = await checkPackages();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Checks the tarballs as they would be published, not the folders, with publint and attw. */
async function checkPackages() {
  const filters = packages.map(({ name }) => `--filter=${name}`);
  demand(await pnpm([...filters, "--recursive", "pack", "--pack-destination", folder]), "pnpm pack");
  const faulty = [];
  for (const { name, version } of packages) {
    console.log(`${name} ${version}`);
    const tarball = join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    const publint = await runTool("publint/src/cli.js", ["--strict", tarball]);
    const attw = await runTool("@arethetypeswrong/cli/dist/index.js", [
      tarball,
      "--profile",
      "esm-only",
      "--quiet",
    ]);
    if (publint !== 0 || attw !== 0) faulty.push(name);
  }
  if (faulty.length === 0 && !(await explainsInstalled()))
    faulty.push("pipeline explain of the installed tarballs");
  console.log(
    faulty.length === 0 ? `${packages.length} packages are fit to publish` : `faulty: ${faulty.join(", ")}`,
  );
  return faulty.length === 0 ? 0 : 1;
}

/** Installs the tarballs as a user would, and requests a page that is in one of them. */
async function explainsInstalled() {
  const project = join(folder, "project");
  mkdirSync(project);
  const files = Object.fromEntries(
    packages.map(({ name, version }) => [
      name,
      `file:${join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)}`,
    ]),
  );
  const manifest = { private: true, dependencies: { tritype: files.tritype }, pnpm: { overrides: files } };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(project, "pnpm-workspace.yaml"), "packages: []\n");
  demand(await pnpm(["install", "--prefer-offline", "--ignore-scripts", "--dir", project]), "pnpm install");
  const bin = join(project, "node_modules/tritype/bin/pipeline.js");
  const { status, stdout } = spawnSync(process.execPath, [bin, "explain", "shape/rank-mismatch"], {
    cwd: project,
    encoding: "utf8",
  });
  const works = status === 0 && stdout.startsWith("shape/rank-mismatch");
  console.log(works ? "the installed command explains" : "the installed command has no pages");
  return works;
}
