import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

/** Holds the tarballs as they would be published, not the folders, against publint and attw. */
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
  console.log(
    faulty.length === 0 ? `${packages.length} packages are fit to publish` : `faulty: ${faulty.join(", ")}`,
  );
  return faulty.length === 0 ? 0 : 1;
}
