import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openProject } from "../../packages/translator/src/project.fixture.ts";

/** Functions whose Python translation is reviewed by hand. */
const shown = [
  "bracketed",
  "wrapLines",
  "mails",
  "fibonacci",
  "counting",
  "primes",
  "tally",
  "weights",
  "ranked",
  "distance",
  "grouped",
  "optionals",
  "typedMade",
  "parsedJson",
  "graded",
  "validated",
  "imported",
  "closures",
  "shadowed",
];
const folder = new URL("programs/", import.meta.url);
const golden = new URL("emitted.md", import.meta.url);

test("the emitted Python of several functions is as reviewed", () => {
  const files = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
  );
  const fileOf = (name: string): string =>
    Object.keys(files).find((file) => files[file]?.includes(`export function ${name}(`) === true) ?? "";
  const calls = shown.map((name) => `step({ name: "${name}", run: ${name} });`);
  const imports = shown.map((name) => `import { ${name} } from "./${fileOf(name)}";`);
  const project = openProject({
    ...files,
    "all.ts": [...calls, 'import { step } from "./step.ts";', ...imports].join("\n"),
  });
  const parts = shown.map((name, at) => {
    const source = new RegExp(`^export function ${name}\\(.*?^\\}$`, "ms").exec(
      files[fileOf(name)] ?? "",
    )?.[0];
    const { refusals, translated } = project.translate("all.ts", at + 1);
    expect(refusals).toEqual([]);
    return `## ${name}\n\n\`\`\`ts\n${source}\n\`\`\`\n\n\`\`\`python\n${translated?.python}\`\`\`\n`;
  });
  project.close();
  const text = `# Functions in Python\n\nWritten by \`UPDATE=1\` with the test of the same name.\n\n${parts.join("\n")}`;
  if (process.env["UPDATE"] !== undefined) writeFileSync(golden, text);
  expect(existsSync(golden) ? readFileSync(golden, "utf8") : "").toBe(text);
});
