import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The packages whose names users write: options, methods, values of the chart. */
const packages = ["cli", "compiler", "core", "deploy", "dsl", "in-process", "tritype", "typed-client"];

/** Names of others. */
const foreign: Readonly<Record<string, string>> = {
  bodyTimeout: "undici",
  embedClient: "the client of an example",
  embedContract: "the client of an example",
  headersTimeout: "undici",
  kPLAN_MAGIC_TAG: "TensorRT",
  lastIndex: "JavaScript",
  magicTag: "TensorRT",
  valueFrom: "Kubernetes",
};

const sourcesOf = (name: string): readonly string[] =>
  readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("generated"))
    .map((path) => readFileSync(`${root}packages/${name}/src/${path}`, "utf8"));

test("every name in camel case that a guide quotes exists", () => {
  const known = new Set(packages.flatMap(sourcesOf).flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  const guides = readdirSync(`${root}docs`).filter(
    // It is about the sources of all packages.
    (file) => file.endsWith(".md") && file !== "architecture.md",
  );
  const unknown = guides.flatMap((file) =>
    [...readFileSync(`${root}docs/${file}`, "utf8").matchAll(/`([^`\n]+)`/g)]
      .flatMap(([, code = ""]) => code.match(/\b[a-z]+[A-Z]\w*\b/g) ?? [])
      .filter((name) => !known.has(name) && !Object.hasOwn(foreign, name))
      .map((name) => `${file}: ${name}`),
  );
  expect(guides.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});
