// A project outside this clone that uses its packages as they would be published:
// node test/workspace/new-project.mjs <folder> [--template embedding | classification], as create-tritype takes them
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bootstrap } from "./bootstrap.mjs";
import { demand, pnpm, root } from "./workspace.mjs";

const { folder, template } = given(process.argv.slice(2));
const project = resolve(folder);
const tarballs = join(root, ".cache", "packages");

await bootstrap();
const packages = await pack();
const { createProject, nextSteps } = await import("../../packages/create-tritype/dist/index.js");
try {
  const created = createProject({ folder: project, template, packageManager: "npm" });
  usePackages(join(project, "package.json"));
  console.log(nextSteps(created, process.cwd(), "npm", true).join("\n"));
} catch (error) {
  console.error(error.message);
  process.exit(2);
}
console.log(
  `\nIts packages come from ${tarballs}. With a registry only: ONNXRUNTIME_NODE_INSTALL=skip npm install`,
);

/** @param {string[]} args */
function given(args) {
  try {
    const options = { template: { type: "string", short: "t" } };
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [folder, template = values.template ?? "embedding", ...more] = positionals;
    if (folder !== undefined && more.length === 0) return { folder, template };
  } catch (error) {
    console.error(error.message);
  }
  console.error(
    "which folder? node test/workspace/new-project.mjs <folder> [--template embedding | classification]",
  );
  return process.exit(2);
}

/** Packs every public package; returns name → tarball. */
async function pack() {
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  const manifests = readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name, "package.json"))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, "utf8")))
    .filter((manifest) => manifest.private !== true);
  const filters = manifests.map(({ name }) => `--filter=${name}`);
  demand(
    await pnpm([...filters, "--recursive", "pack", "--pack-destination", tarballs], { quiet: true }),
    "pnpm pack",
  );
  return manifests.map(({ name, version }) => [
    name,
    `file:${join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)}`,
  ]);
}

function usePackages(path) {
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  const own = packages.filter(([name]) => name !== "tritype");
  manifest.dependencies.tritype = Object.fromEntries(packages).tritype;
  manifest.overrides = Object.fromEntries(own);
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}
