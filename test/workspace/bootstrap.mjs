import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "./bundle-packages.mjs";
import { demand, manifest, pnpm, root, runTool } from "./workspace.mjs";

const minimumNode = [20, 19];
const stamp = join(root, "node_modules", ".tritype", "installed");

/** Installs the workspace's packages and builds its own; takes about a second when both are up to date. */
export async function bootstrap() {
  demandNode();
  await install();
  demand(await runTool("typescript-7/bin/tsc", ["-b", "packages/tsconfig.json"]), "Building the packages");
  await bundlePackages();
}

function demandNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) return;
  console.error(`Node ${minimumNode.join(".")} or newer is needed; this is ${process.version}`);
  process.exit(1);
}

async function install() {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint()) return;
  console.log(
    `installing with ${manifest.packageManager} (about 1080 MB on disk, a minute on a slow network)`,
  );
  const started = Date.now();
  const frozen = existsSync(join(root, "pnpm-lock.yaml")) ? ["--frozen-lockfile"] : [];
  // onnxruntime-node's install script fetches CUDA libraries from another host; the package runs without them.
  const env = { ONNXRUNTIME_NODE_INSTALL: "skip" };
  demand(
    await pnpm(
      [
        "install",
        "--reporter=append-only",
        "--loglevel=warn",
        "--config.confirm-modules-purge=false",
        ...frozen,
      ],
      { env },
    ),
    "pnpm install",
  );
  mkdirSync(join(stamp, ".."), { recursive: true });
  writeFileSync(stamp, fingerprint());
  const megabytes = Math.round(folderSize(join(root, "node_modules")) / 1e6);
  console.log(`installed ${megabytes} MB in ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

/** A hash of everything that determines what gets installed. */
function fingerprint() {
  const hash = createHash("sha256");
  const members = ["packages", "examples"].flatMap((folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(folder, name)) : [],
  );
  const folders = ["", "test", ...members];
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ...folders.map((folder) => join(folder, "package.json")),
  ];
  for (const file of files) {
    const path = join(root, file);
    hash.update(`${file}\0${existsSync(path) ? readFileSync(path, "utf8") : ""}\0`);
  }
  return hash.digest("hex");
}

function folderSize(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += folderSize(path);
    else if (entry.isFile()) bytes += lstatSync(path).size;
  }
  return bytes;
}

if (process.argv[1] === import.meta.filename) await bootstrap();
