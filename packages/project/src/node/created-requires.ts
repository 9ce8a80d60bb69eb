import { createRequire, isBuiltin } from "node:module";
import { readFileSync } from "node:fs";
import { attempt } from "@tritype/core";
import { bundleOrigins } from "./bundle-origins.ts";
import type { CreatedRequire, MadeBundle } from "./bundle-task.ts";

/** The modules that the sources of a bundle load with `createRequire(…)`, except Node's own. */
export const createdRequires = (
  root: string,
  made: Pick<MadeBundle, "text" | "map" | "contained">,
): readonly CreatedRequire[] => {
  const origins = bundleOrigins(root, made);
  return made.contained.flatMap((from) => {
    const source = /\.[cm]?[jt]sx?$/.test(from) ? readFileSync(from, "utf8") : "";
    return requiredIn(source).flatMap(({ written, offset }) =>
      isBuiltin(written) || !origins.has({ path: from, source, written, offset })
        ? []
        : [{ from, written, to: resolved(from, written), offset }],
    );
  });
};

const requiredIn = (text: string): readonly { readonly written: string; readonly offset: number }[] => {
  if (!text.includes("createRequire")) return [];
  const names = [...text.matchAll(/([\w$]+)\s*=\s*(?:[\w$]+\.)?createRequire\w*\s*\(/g)].map(
    ([, name = ""]) => name.replaceAll("$", "\\$"),
  );
  const callee = ["createRequire\\([^()]*\\)", ...names.map((name) => `(?<![\\w$.])${name}`)].join("|");
  const calls = new RegExp(
    `(?:${callee})(?:\\.resolve)?\\(\\s*(?<quote>["'\`])(?<written>[^"'\`$\\n]+)\\k<quote>\\s*\\)`,
    "g",
  );
  return [...text.matchAll(calls)].map((match) => {
    const written = match.groups?.["written"] ?? "";
    return { written, offset: match.index + match[0].lastIndexOf(written) - 1 };
  });
};

const resolved = (from: string, written: string): string | undefined =>
  attempt(() => createRequire(from).resolve(written));
