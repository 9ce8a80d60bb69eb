import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

// `pipeline explain` reads the pages of diagnostics: while the package is packed they lie in it.
const pages = join(root, "packages/cli/pages");
rmSync(pages, { recursive: true, force: true });
if (!process.argv.includes("--remove")) cpSync(join(root, "docs/diagnostics"), pages, { recursive: true });
