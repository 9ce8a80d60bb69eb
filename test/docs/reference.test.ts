import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commands } from "@tritype/cli";
import { compileRecords } from "@tritype/project";
import { recordOf } from "@tritype/dsl";
import { operators } from "@tritype/operators";
import { defaultRelease } from "@tritype/triton";
import { expect, test } from "vitest";
import { runIn } from "../cli/check-fixture.ts";
import { readDeclarations } from "./reference/declarations.ts";
import { operatorExamples } from "./reference/operator-examples.ts";
import { referencePages } from "./reference/pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "docs", "reference");
const byHand = ["clients.md", "environment.md", "files.md"];

test("the reference matches the sources", async () => {
  const help = new Map<string, string>();
  for (const { name } of commands)
    help.set(name, (await runIn(root, ...name.split(" "), "--help")).out.trimEnd());
  const pages = referencePages(help);
  for (const [name, text] of pages) {
    if (process.env["UPDATE"] === "1") writeFileSync(join(folder, name), text);
    expect(existsSync(join(folder, name)), `docs/reference/${name} is missing; UPDATE=1 writes it`).toBe(
      true,
    );
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  }
  expect(readdirSync(folder).toSorted()).toEqual([...pages.keys(), ...byHand].toSorted());
});

test("the README lists the commands as the help does", async () => {
  const { out } = await runIn(root, "--help");
  const rows = out
    .split("\n")
    .flatMap((line) => (line.startsWith("  ") ? [`pipeline ${line.slice(2)}`] : []));
  const readme = join(root, "README.md");
  const listed = readFileSync(readme, "utf8").replace(
    /(?<=## Commands\n\n```\n)[^`]*/,
    () => `${rows.join("\n")}\n`,
  );
  if (process.env["UPDATE"] === "1") writeFileSync(readme, listed);
  expect(rows).toHaveLength(commands.length);
  expect(readFileSync(readme, "utf8")).toBe(listed);
});

test("every operator is a method or function with an example and is in the README of the DSL", () => {
  const { interfaces, values } = readDeclarations();
  const methods =
    interfaces
      .get("Tensor")
      ?.fields.flatMap(({ name, parameters }) => (parameters === undefined ? [] : [name])) ?? [];
  const catalog = [...operators.values()].flatMap(({ name, readArguments }) =>
    readArguments === undefined ? [] : [name],
  );
  expect(methods.toSorted()).toEqual(catalog.toSorted());
  const readme = readFileSync(join(root, "packages", "dsl", "README.md"), "utf8");
  const listed = new Set([...readme.matchAll(/^\|.*\|$/gm)].join("\n").match(/(?<=`)\w+/g));
  const { examples: made, ensemble } = operatorExamples();
  const examples = [...made.keys()];
  expect(methods.filter((name) => !examples.includes(name))).toEqual([]);
  expect(examples.filter((name) => !listed.has(name))).toEqual([]);
  expect(examples.filter((name) => !methods.includes(name) && !values.has(name))).toEqual([]);
  const record = recordOf(ensemble);
  const { diagnostics } = compileRecords(record === undefined ? [] : [record], {
    root,
    settings: { release: defaultRelease, stepKinds: [] },
  });
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
});

test("every field that the reference lists has a docstring", () => {
  const page = (name: string): string => readFileSync(join(folder, name), "utf8");
  const silent = ["steps.md", "configuration.md"].flatMap((name) =>
    page(name)
      .split("\n")
      .filter((line) => /^\| `.*\| +\|$/.test(line)),
  );
  expect(silent).toEqual([]);
});

test("the page on environment variables lists every variable that the sources read", () => {
  const page = readFileSync(join(folder, "environment.md"), "utf8");
  const sources = readdirSync(join(root, "packages"), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\/src(\/|$)/.test(entry.parentPath) && /(?<!\.test)\.ts$/.test(entry.name),
    )
    .filter((entry) => !entry.parentPath.includes("node_modules"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  const read = new Set(
    [...sources.matchAll(/\benv(?:ironment)?(?:\.|\["|\?\.\["?)([A-Z][A-Z_]{3,})/g)].map(([, name]) => name),
  );
  expect(read.size).toBeGreaterThan(8);
  expect([...read].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the page on environment variables lists every variable of the emitted container files", () => {
  const page = readFileSync(join(folder, "environment.md"), "utf8");
  const emitted = ["test/golden", "test/deploy"].flatMap((at) =>
    readdirSync(join(root, at), { recursive: true, withFileTypes: true })
      .filter(({ name }) => name === "Dockerfile" || name === "compose.yaml")
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
  );
  const read = emitted.flatMap((text) =>
    [...text.matchAll(/^ARG ([A-Z_]+)|\$\{([A-Z_]+):|^ +- ([A-Z]+_[A-Z_]+)$/gm)].map(
      ([, argument, variable, passed]) => argument ?? variable ?? passed ?? "",
    ),
  );
  expect(new Set(read).size).toBeGreaterThan(6);
  expect([...new Set(read)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
