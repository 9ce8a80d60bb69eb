import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
const packages = readdirSync(join(root, "packages")).filter((name) =>
  existsSync(join(root, "packages", name, "package.json")),
);

/** Text in backticks that looks like a path, outside code fences. */
const pathsOf = (markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)].map(
    ([, path = ""]) => path,
  );

test("the page has at most 250 lines", () => {
  expect(text.split("\n").length).toBeLessThanOrEqual(250);
});

const listed = [...text.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name = ""]) => name);

test("the page lists every package", () => {
  expect(new Set(listed)).toEqual(new Set(packages));
  expect(listed.length).toBe(packages.length);
});

test("packages only import packages further down the list", () => {
  const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
    readonly forbidden: readonly { readonly name: string; readonly to: { readonly pathNot?: string } }[];
  };
  const levels = forbidden.filter(({ name }) => name.startsWith("levels-"));
  expect(levels.length).toBe(packages.length);
  const upwards = levels.flatMap(({ name, to }) => {
    const [own = "", ...imported] = /\((.*)\)/.exec(to.pathNot ?? "")?.[1]?.split("|") ?? [];
    return imported
      .filter((one) => listed.indexOf(one) <= listed.indexOf(own))
      .map((one) => `${name}: ${one}`);
  });
  expect(upwards).toEqual([]);
});

test("the page lists every entry point apart from index.ts", () => {
  const entries = packages.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports?: object;
    };
    return Object.keys(manifest.exports ?? {})
      .filter((entry) => entry !== "." && entry !== "./package.json")
      .map((entry) => `${manifest.name}${entry.slice(1)}`);
  });
  const [sentence = ""] = /further entry points[^:]*:[\s\S]*?\.\n\n/.exec(text) ?? [];
  const named = [...sentence.matchAll(/`([\w@/-]+)`/g)].map(([, entry]) => entry);
  expect(new Set(named)).toEqual(new Set(entries));
});

test("every section of the code map names files of its packages", () => {
  const sections = text.split(/^###? /m).filter((section) => section.startsWith("`packages/"));
  expect(sections.length).toBeGreaterThan(8);
  const missing = sections.flatMap((section) => {
    const [heading = "", ...body] = section.split("\n");
    const folders = [...heading.matchAll(/`(packages\/[\w-]+)`/g)].map(([, folder]) => `${folder}/src`);
    return pathsOf(body.join("\n"))
      .filter((path) => !path.startsWith("packages/"))
      .filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))))
      .map((path) => `${heading}: ${path}`);
  });
  expect(missing).toEqual([]);
});

test("every full path exists", () => {
  const full = [...text.matchAll(/`((?:packages|test|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(full.length).toBeGreaterThan(25);
  expect(full.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
