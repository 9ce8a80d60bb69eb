import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../bench/", import.meta.url));
const namesOf = (list: string): readonly string[] =>
  list
    .split(",")
    .map((name) => name.trim().split(" as ", 1)[0] ?? "")
    .filter(Boolean);

/** The names that a benchmark imports from packages of this workspace. */
const imports = readdirSync(folder)
  .filter((file) => file.endsWith(".mjs"))
  .flatMap((file) =>
    [
      ...readFileSync(`${folder}${file}`, "utf8").matchAll(/^import \{([^}]+)\} from "(@tritype\/[^"]+)"/gm),
    ].map(([, names = "", from = ""]) => ({ file, from, names: namesOf(names) })),
  );

test.each(imports)("test/bench/$file: $from exports what it imports", async ({ from, names }) => {
  expect(Object.keys((await import(from)) as object)).toEqual(expect.arrayContaining([...names]));
});

test("there are imports to check", () => {
  expect(imports.length).toBeGreaterThan(20);
});
