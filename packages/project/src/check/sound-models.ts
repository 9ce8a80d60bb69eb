import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { SoundModels } from "@tritype/check";
import { fileSize, hashFile, type Tree, type TreeFile } from "@tritype/compiler";
import { hashOf } from "../analyse/file-answers.ts";
import { hashOnce } from "../files/large-file.ts";
import { openProjectCache } from "../project-cache.ts";

/** Models of builds for which no single-model rule reported anything, cached by content. */
export interface SoundChecks {
  /** @param judgedFor Everything that the rules use for a model, except its files. */
  readonly models: (judgedFor: (model: string) => unknown) => SoundModels;
  /** Caches the models without findings of this build and forgets the others. */
  readonly keep: () => void;
}

/** @param folder Folder of the models in the tree, with a trailing slash. */
export const openSoundChecks = (root: string, tree: Tree, folder: string): SoundChecks => {
  const cache = openProjectCache(root, { name: "checks", stampOf: checkingCode });
  const kept = cache.read() as readonly string[] | undefined;
  const known = new Set(kept);
  const sound = new Set<string>();
  const digests = digestsOf(tree, folder);
  return {
    models(judgedFor) {
      const keys = new Map<string, string | undefined>();
      const keyOf = (model: string): string | undefined => {
        if (!keys.has(model)) {
          const digest = digests.get(model);
          const given = digest && JSON.stringify([model, digest, judgedFor(model)], withBigInts);
          keys.set(model, given === undefined ? undefined : hashOf(given));
        }
        return keys.get(model);
      };
      return {
        has(model) {
          const key = keyOf(model);
          if (key === undefined || !known.has(key)) return false;
          sound.add(key);
          return true;
        },
        add(model) {
          const key = keyOf(model);
          if (key !== undefined) sound.add(key);
        },
      };
    },
    keep() {
      if (sound.size !== known.size || [...sound].some((key) => !known.has(key)))
        cache.write([...sound].toSorted());
    },
  };
};

/** Hashing larger models takes longer than checking them. */
const largest = 2 ** 20;

/** Model → a hash of its files; models with large files are missing. */
const digestsOf = (tree: Tree, folder: string): ReadonlyMap<string, string> => {
  const files = new Map<string, [path: string, file: TreeFile][]>();
  for (const [path, file] of tree) {
    const [model, ...inside] = path.startsWith(folder) ? path.slice(folder.length).split("/") : [];
    if (model === undefined || inside.length === 0) continue;
    const of = files.get(model) ?? [];
    of.push([inside.join("/"), file]);
    files.set(model, of);
  }
  return new Map(
    [...files].flatMap(([model, all]) => {
      const size = all.reduce((sum, [, file]) => sum + fileSize(file), 0);
      if (size > largest) return [];
      const texts = all.map(([path, file]) => `${path} ${hashFile(file, { sha256: hashOnce })}\n`).toSorted();
      return [[model, hashOf(texts.join(""))] as const];
    }),
  );
};

const withBigInts = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}n` : value;

/** The rules and the code they use to read files. */
const checkingCode = (here: NodeJS.Require): readonly string[] => {
  const rules = here.resolve("@tritype/check/package.json");
  const there = createRequire(rules);
  const read = ["core", "onnx", "triton"].map((name) => there.resolve(`@tritype/${name}/package.json`));
  return [rules, ...read].map(dirname).concat(there.resolve("@lezer/python"), there.resolve("@lezer/common"));
};
