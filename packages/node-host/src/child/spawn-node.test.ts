import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFlags } from "./spawn-node.ts";

const allow = { fsRead: ["/data/*"], addons: true };
const old = ["--experimental-permission", "--disable-warning=ExperimentalWarning"];
const reads = ["--allow-fs-read=/m/1/*", "--allow-fs-read=/data/*"];

test.each([
  ["20.11", ["--experimental-permission"], [...old, ...reads]],
  ["20.19", ["--experimental-permission", "--allow-addons"], [...old, ...reads, "--allow-addons"]],
  ["24", ["--permission", "--allow-addons"], ["--permission", ...reads, "--allow-addons"]],
  [
    "25, whose permission model includes the network",
    ["--permission", "--allow-addons", "--allow-net"],
    ["--permission", "--allow-net", "--disable-warning=ExperimentalWarning", ...reads, "--allow-addons"],
  ],
])("the flags of Node %s", (_, known, flags) => {
  expect(nodeFlags("/m/1", { allow }, new Set(known))).toEqual([
    ...flags,
    "--disable-warning=SecurityWarning",
    "--enable-source-maps",
  ]);
});

test("with native code, the function may read the packages that Node finds from its folder, also through a link", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tritype-packages-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [folder, elsewhere] = [join(root, "build/m/1"), join(root, "elsewhere")];
  for (const path of [folder, elsewhere, join(root, "node_modules")]) mkdirSync(path, { recursive: true });
  symlinkSync(elsewhere, join(folder, "node_modules"));
  const read = (addons: boolean) =>
    nodeFlags(folder, { allow: { addons } }).filter((flag) => flag.startsWith(`--allow-fs-read=${root}`));
  expect(read(false)).toEqual([`--allow-fs-read=${folder}/*`]);
  expect(read(true)).toEqual([
    `--allow-fs-read=${folder}/*`,
    `--allow-fs-read=${elsewhere}/*`,
    `--allow-fs-read=${root}/node_modules/*`,
  ]);
});
