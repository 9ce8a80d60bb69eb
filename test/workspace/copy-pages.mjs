import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

// What packages hold only while they are packed: `pipeline explain` reads the pages of diagnostics, users read the guides.
const targets = {
  cli: { from: "docs/diagnostics", to: "packages/cli/pages", without: [] },
  tritype: {
    from: "docs",
    to: "packages/tritype/docs",
    without: ["docs/architecture.md", "docs/decisions", "docs/diagnostics"],
  },
};
const { from, to, without } = targets[process.argv[2]];
const left = without.map((path) => join(root, path));
rmSync(join(root, to), { recursive: true, force: true });
if (!process.argv.includes("--remove"))
  cpSync(join(root, from), join(root, to), { recursive: true, filter: (path) => !left.includes(path) });
