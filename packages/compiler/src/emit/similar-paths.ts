import type { Diagnostic, Label } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import type { EmittedModel } from "./emitted-model.ts";

/**
 * Warns about paths that are one path in the file systems of macOS and Windows, which do not tell upper from lower case.
 * Each pair is reported once, at the first folder or file that differs.
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
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const part = parts.slice(0, length).join("/");
      const folded = part.toLowerCase();
      const other = known.get(folded) ?? part;
      known.set(folded, other);
      if (other === part) continue;
      pairs.set(part, [part, other]);
      break;
    }
  }
  return [...pairs.values()];
};
