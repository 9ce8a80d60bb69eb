import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const script = `${root}packages/typed-client/scripts/make-emitted.mjs`;
const { emittedModule, makeEmitted, printModule } = (await import(/* @vite-ignore */ script)) as {
  readonly emittedModule: string;
  readonly makeEmitted: () => Readonly<Record<string, string>>;
  readonly printModule: (files: Readonly<Record<string, string>>) => string;
};
const emitted = makeEmitted();

test("the core that builds emit is made from the package's sources (after a change: node packages/typed-client/scripts/make-emitted.mjs)", () => {
  expect(readFileSync(emittedModule, "utf8")).toBe(printModule(emitted));
});

test("the emitted core imports nothing, and its gRPC part only imports @grpc/grpc-js", () => {
  const importsOf = (text = ""): readonly (string | undefined)[] =>
    [...text.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, one]) => one);
  expect(Object.fromEntries(Object.entries(emitted).map(([path, text]) => [path, importsOf(text)]))).toEqual({
    "core/kserve.js": [],
    "core/kserve.d.ts": [],
    "core/grpc.js": ["@grpc/grpc-js", "./kserve.js"],
    "core/grpc.d.ts": ["@grpc/grpc-js", "./kserve.js"],
  });
});

test("tritype/client is for browsers: it bundles into a few kilobytes without any Node modules", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export * from "tritype/client";', resolveDir: `${root}test` },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@tritype/source"],
    metafile: true,
    write: false,
  });
  const packages = Object.keys(metafile.inputs).map((path) => /packages\/([^/]+)/.exec(path)?.[1] ?? path);
  expect([...new Set(packages)].toSorted()).toEqual(["<stdin>", "core", "tritype", "typed-client"]);
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  expect(bytes.byteLength).toBeLessThan(30_300);
  expect(gzipSync(bytes).byteLength).toBeLessThan(12_600);
});
