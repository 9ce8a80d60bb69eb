import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

// Files that packages contain only while they are packed: `pipeline explain` reads the pages of diagnostics and errors,
// users read the guides.
const targets = {
  cli: {
    to: "packages/cli/pages",
    copies: { "docs/diagnostics": ".", "docs/reference/errors.md": "errors.md" },
    without: [],
  },
  tritype: {
    to: "packages/tritype/docs",
    copies: { docs: "." },
    without: ["docs/architecture.md", "docs/decisions", "docs/diagnostics"],
  },
};
const { to, copies, without } = targets[process.argv[2]];
const left = without.map((path) => join(root, path));
rmSync(join(root, to), { recursive: true, force: true });
if (!process.argv.includes("--remove"))
  for (const [from, name] of Object.entries(copies))
    cpSync(join(root, from), join(root, to, name), {
      recursive: true,
      filter: (path) => !left.includes(path),
    });
