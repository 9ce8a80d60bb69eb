// Joins the modules of each built package, so that a command loads about 150 files instead of 1,000. Each entry of a package's
// `exports`, and each worker, becomes a file of `dist/bundle`; declarations stay one file per source.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { root } from "./workspace.mjs";

/** Bundles the packages that `tsc` has built since they were last bundled. */
export async function bundlePackages() {
  const folders = readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")));
  const stale = folders.filter((folder) => !isCurrent(folder));
  const stalePages = folders.filter((folder) => existsSync(join(folder, "page")) && !isPageCurrent(folder));
  if (stale.length + stalePages.length === 0) return;
  const { build } = createRequire(join(root, "packages/project/package.json"))("esbuild");
  await Promise.all([
    ...stale.map((folder) => bundlePackage(folder, build)),
    ...stalePages.map((folder) => bundlePage(folder, build)),
  ]);
}

/** A page for browsers: one script and one style sheet, with everything that they import. */
async function bundlePage(folder, build) {
  const [from, out] = [join(folder, "page"), join(folder, "dist/page")];
  rmSync(out, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: { app: join(from, "main.tsx") },
    outdir: out,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    conditions: ["@tritype/source"],
    tsconfig: join(from, "tsconfig.json"),
    metafile: true,
    logLevel: "warning",
  });
  writeFileSync(join(out, "licenses.txt"), licensesOf(Object.keys(metafile.inputs)));
  for (const name of ["index.html", "icon.svg"]) copyFileSync(join(from, name), join(out, name));
}

/** The licences of the packages that are part of a page. */
function licensesOf(paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)]
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`${name} has no licence file`);
      return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8")}`;
    })
    .join("\n\n");
}

/** Whether a package's page was bundled after its last change. */
function isPageCurrent(folder) {
  const [from, out] = [join(folder, "page"), join(folder, "dist/page/icon.svg")];
  if (!existsSync(out)) return false;
  const bundled = statSync(out).mtimeMs;
  const sources = readdirSync(from).map((name) => join(from, name));
  return [join(folder, "dist/.tsbuildinfo"), ...sources].every((path) => statSync(path).mtimeMs <= bundled);
}

async function bundlePackage(folder, build) {
  const [dist, out] = [join(folder, "dist"), join(folder, "dist/bundle")];
  const stamp = statSync(join(dist, ".tsbuildinfo")).mtime;
  rmSync(out, { recursive: true, force: true });
  const entries = entriesOf(folder);
  if (entries.length === 0) return;
  await build({
    entryPoints: entries.map((entry) => join(dist, entry)),
    outdir: out,
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20.19",
    sourcemap: true,
    logLevel: "warning",
    define: { "import.meta.url": "urlInDist" },
    plugins: [ownUrls(dist, out), requiredPackages],
  });
  utimesSync(out, stamp, stamp);
}

/** Paths in `dist`: the entries of the package's `exports`, and workers. */
function entriesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const exported = Object.values(exports).flatMap((entry) => {
    const [, path] = /^\.\/dist\/bundle\/(.*)$/.exec(entry.default ?? "") ?? [];
    return path === undefined ? [] : [path];
  });
  const workers = readdirSync(join(folder, "dist"), { recursive: true }).filter((path) =>
    path.endsWith("-worker.js"),
  );
  return [...exported, ...workers];
}

/** `import.meta.url` is the module's URL in `dist`, except where a module starts a worker: workers are next to the bundle. */
function ownUrls(dist, out) {
  const startsWorker = /"\.\/[\w-]+-worker\.js"/;
  const fromBundle = (path) => relative(out, path).split(sep).join("/");
  return {
    name: "own-urls",
    setup(esbuild) {
      esbuild.onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(dist + sep)) return undefined;
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.url")) return undefined;
        const bundled = startsWorker.test(text)
          ? "urlOfFile"
          : `new URL("${fromBundle(path)}", urlOfFile).href`;
        const head = `const { url: urlOfFile } = import.meta, urlInDist = ${bundled}; `;
        return { contents: head + text, loader: "js" };
      });
    },
  };
}

/**
 * Loads ts-morph, which is CommonJS, with `require`: for an `import`, Node searches its 9 MB of text for the names of exports,
 * which takes 0.3 s.
 */
const requiredPackages = {
  name: "required-packages",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^ts-morph$/ }, ({ path }) => ({ path, namespace: "required" }));
    esbuild.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `import { createRequire } from "node:module";
const { url } = import.meta;
export const { Project, ts, VariableDeclarationKind, Writers } = createRequire(url)("${path}");`,
    }));
  },
};

function isCurrent(folder) {
  const out = join(folder, "dist/bundle");
  if (!existsSync(out)) return entriesOf(folder).length === 0;
  // `utimes` rounds the time.
  return Math.abs(statSync(out).mtimeMs - statSync(join(folder, "dist/.tsbuildinfo")).mtimeMs) < 2;
}

if (process.argv[1] === import.meta.filename) await bundlePackages();
