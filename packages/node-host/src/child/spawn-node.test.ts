import { expect, test } from "vitest";
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
  expect(nodeFlags("/m/1", { allow }, new Set(known))).toEqual([...flags, "--enable-source-maps"]);
});
