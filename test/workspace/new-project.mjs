// A project outside of this clone, on its packages as they would be published:
// node test/workspace/new-project.mjs <folder> [embedding | classification]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { demand, pnpm, root, run } from "./workspace.mjs";

const [folder, template = "embedding"] = process.argv.slice(2);
if (folder === undefined) {
  console.error("which folder? node test/workspace/new-project.mjs <folder> [embedding | classification]");
  process.exit(2);
}
const project = resolve(folder);
const tarballs = join(root, ".cache", "packages");

await bootstrap();
const packages = await pack();
const create = join(root, "packages", "create-tritype", "bin", "create-tritype.js");
demand(await run(process.execPath, [create, project, "--template", template]), "create-tritype");
usePackages(join(project, "package.json"));
console.log(
  `\n${project} takes tritype from ${tarballs}. With a registry only: ONNXRUNTIME_NODE_INSTALL=skip npm install`,
);

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
