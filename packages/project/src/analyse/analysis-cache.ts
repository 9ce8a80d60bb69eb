import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";

/** What a build found out about a project's sources, kept in `node_modules/.cache/tritype` until something it depends on changes. */
export interface AnalysisCache {
  /** What was kept; undefined when there is nothing, when it is damaged, and when another version of Tritype, TypeScript or Node wrote it. */
  readonly read: () => unknown;
  readonly write: (content: object) => void;
}

export const openAnalysisCache = (root: string): AnalysisCache => {
  const folder = cacheFolderOf(root);
  if (folder === undefined) return { read: () => undefined, write: () => {} };
  const path = join(folder, `analysis-${hashOf(resolve(root)).slice(0, 24)}.json`);
  const key = hashOf(JSON.stringify([toolStamp(), process.version, resolve(root)]));
  return {
    read() {
      try {
        const text = readFileSync(path, "utf8");
        const end = text.indexOf("\n");
        const content = text.slice(end + 1);
        return text.slice(0, end) === headOf(key, content) ? JSON.parse(content) : undefined;
      } catch {
        return undefined;
      }
    },
    write(content) {
      // A cache that cannot be written costs time, and nothing else.
      try {
        mkdirSync(folder, { recursive: true });
        const whole = `${path}.${process.pid}.${threadId}`;
        const text = JSON.stringify(content);
        writeFileSync(whole, `${headOf(key, text)}\n${text}`);
        renameSync(whole, path);
        forgetOldest(folder);
      } catch {}
    },
  };
};

/** The first line: who wrote it, and what must follow. */
const headOf = (key: string, content: string): string => `${key} ${hashOf(content)}`;

/** In the nearest `node_modules`, which nobody commits. */
const cacheFolderOf = (root: string): string | undefined => {
  for (let at = resolve(root); ; at = dirname(at)) {
    const modules = join(at, "node_modules");
    if (existsSync(modules)) return join(modules, ".cache", "tritype");
    if (at === dirname(at)) return undefined;
  }
};

const keptProjects = 32;

/** Projects that are gone leave their files behind. */
const forgetOldest = (folder: string): void => {
  const files = readdirSync(folder).filter((file) => file.startsWith("analysis-"));
  if (files.length <= keptProjects) return;
  const byAge = files
    .map((file) => ({ path: join(folder, file), time: statSync(join(folder, file)).mtimeMs }))
    .toSorted((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(keptProjects)) rmSync(path, { force: true });
};

/** The code that makes what is kept: every file of the translator with its size and time, and the TypeScript under it. */
const toolStamp = (): string => {
  const manifest = createRequire(import.meta.url).resolve("@tritype/translator/package.json");
  const translator = dirname(manifest);
  const own = dirname(fileURLToPath(import.meta.url));
  const morph = createRequire(manifest).resolve("ts-morph");
  const typeScript = dirname(createRequire(morph).resolve("@ts-morph/common"));
  return [...[join(translator, "dist"), join(translator, "src"), own, typeScript].flatMap(filesIn), morph]
    .map((path) => {
      const { size, mtimeMs } = statSync(path);
      return `${path} ${size} ${mtimeMs}`;
    })
    .toSorted()
    .join("\n");
};

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
