import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap } from "./bootstrap.mjs";
import { demand, pnpm, root } from "./workspace.mjs";

const packages = readdirSync(join(root, "packages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")))
  .filter((manifest) => manifest.private !== true);

await bootstrap();
// Runs after the installation and in one process, because each start of the commands loads TypeScript again.
const { publint } = await import("publint");
const { formatMessage } = await import("publint/utils");
const attw = createRequire(realpathSync(join(root, "node_modules/@arethetypeswrong/cli/package.json")));
const core = pathToFileURL(attw.resolve("@arethetypeswrong/core")).href;
const { checkPackage, createPackageFromTarballData } = await import(core);
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
    const tarball = readFileSync(join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`));
    const found = [...(await lint(tarball)), ...(await typesOf(tarball))];
    console.log([`${name} ${version}`, ...found].join("\n  "));
    if (found.length > 0) faulty.push(name);
  }
  if (faulty.length === 0 && !(await explainsInstalled()))
    faulty.push("pipeline explain of the installed tarballs");
  console.log(
    faulty.length === 0 ? `${packages.length} packages are fit to publish` : `faulty: ${faulty.join(", ")}`,
  );
  return faulty.length === 0 ? 0 : 1;
}

/** publint's errors and warnings. */
async function lint(tarball) {
  const { buffer, byteOffset, byteLength } = tarball;
  const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
  const { messages, pkg } = await publint({ strict: true, level: "error", pack });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** attw's problems for users who import the package as ES modules. */
async function typesOf(tarball) {
  const { problems = [] } = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  return problems
    .filter(({ resolutionKind }) => !["node10", "node16-cjs"].includes(resolutionKind))
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
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
