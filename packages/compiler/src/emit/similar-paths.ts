import type { Diagnostic, Label } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import type { EmittedModel } from "./emitted-model.ts";

/**
 * Warns about files that are one file in the file systems of macOS and Windows, which do not tell upper from lower case.
 * Models and folders are reported once, not file by file.
 * @param paths Relative to the build folder.
 */
export const checkPaths = (
  paths: Iterable<string>,
  models: readonly EmittedModel[],
): readonly Diagnostic[] => {
  const definitions = new Map(models.map(({ name, definition }) => [name, definition]));
  const labelled = (path: string, text: string): readonly Label[] => {
    const definition = definitions.get(path.split("/")[1] ?? "");
    return definition === undefined ? [] : definedAt(definition, text);
  };
  return similarPaths(paths).map(([path, other]) =>
    diagnose("model/similar-path", {
      with: { path, other },
      labels: [
        ...labelled(path, "defined here"),
        ...(path.split("/").length > 2 ? [] : labelled(other, "and here")),
      ],
    }),
  );
};

const similarPaths = (paths: Iterable<string>): readonly (readonly [path: string, other: string])[] => {
  const known = new Map<string, string>();
  const pairs = new Map<string, readonly [string, string]>();
  for (const path of paths) {
    const folded = path.toLowerCase();
    const [parts, others] = [path, known.get(folded) ?? path].map((one) => one.split("/"));
    const different = parts?.findIndex((part, at) => part !== others?.[at]) ?? -1;
    if (different < 0) known.set(folded, path);
    else {
      const [own = "", other = ""] = [parts, others].map((one) => one?.slice(0, different + 1).join("/"));
      pairs.set(own, [own, other]);
    }
  }
  return [...pairs.values()];
};
