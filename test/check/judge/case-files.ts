import type { Entry, RepositoryHost } from "@tritype/check";

/** A model repository in memory: path to contents; a path that ends in "/" is an empty folder. */
export type CaseFiles = Readonly<Record<string, string | Uint8Array>>;

/** The top-level folders, in the order of the files. */
export const modelNames = (files: CaseFiles): readonly string[] => [
  ...new Set(Object.keys(files).map((path) => path.slice(0, path.indexOf("/")))),
];

/** A case as the checker sees it. */
export const caseHost = (files: CaseFiles): RepositoryHost => ({
  list: (folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const entries = new Map<string, Entry>();
    for (const [path, contents] of Object.entries(files)) {
      if (!path.startsWith(prefix)) continue;
      const [name = "", ...deeper] = path.slice(prefix.length).split("/");
      if (name === "") continue;
      const kind = deeper.length > 0 ? "folder" : "file";
      entries.set(name, { name, kind, size: kind === "file" ? bytesOf(contents).length : 0 });
    }
    const found = entries.size > 0 || folder === "" || files[prefix] !== undefined;
    return found ? [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
  },
  read: (file, limit) => {
    const contents = Object.hasOwn(files, file) ? files[file] : undefined;
    return contents === undefined ? undefined : bytesOf(contents).subarray(0, limit);
  },
});

const encoder = new TextEncoder();

export const bytesOf = (contents: string | Uint8Array): Uint8Array =>
  typeof contents === "string" ? encoder.encode(contents) : contents;
