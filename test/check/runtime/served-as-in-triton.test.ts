import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Diagnostic } from "@tritype/core";
import { checkerRefusals } from "../judge/checker-verdict.ts";
import { oddConfigurations, oddRepository } from "../judge/odd-configurations.ts";
import type { Verdict } from "../judge/server-judge.ts";
import { corpusFiles, filesOf, type JudgedCase, readCorpus } from "../judge/verdict-corpus.ts";
import { laptopExceptions } from "../../../packages/runtime/src/repository/laptop-exceptions.ts";
import { holdsOnLaptop } from "./laptop.ts";
import { judgeLocally } from "./stub-runtime.ts";

type Said = "ready" | "refused";

/** The reason why the local runtime may differ from a recorded server; undefined if it may not. */
const excuse = (server: Said, found: readonly Diagnostic[], local: Verdict): string | undefined => {
  if (server === "ready") return excuses.find(([words]) => words.test(local.reason))?.[1];
  const reasons = found.map((one) => {
    if (one.code.startsWith("python/")) return "a stub runs its Python code here";
    if (holdsOnLaptop(one)) return undefined;
    return laptopExceptions.get(one.code) ?? "the server's machine is unknown here";
  });
  return reasons.includes(undefined) ? undefined : reasons[0];
};

/** Messages with which the local runtime refuses models that a server with stub backends loads. */
const excuses: readonly (readonly [words: RegExp, why: string])[] = [
  [/which the local runtime does not (?:have|support)/, "the local runtime does not have it"],
  [/which the PyTorch backend does not support/, "a stub takes what the backend would not"],
  [/at least one version must be available/, "folders such as `1abc`, which a stub never opens"],
  [/which is an input of the ensemble/, "its requests never end in Triton"],
];

/** The configurations of `odd-configurations.ts`, with the server's verdicts, which the judge compares with a server. */
const oddCases: readonly Pick<JudgedCase, "about" | "files" | "strict" | "release" | "verdict">[] = [
  ...oddConfigurations,
].map(([model, { about, server }]) => ({
  about: `odd: ${about}`,
  files: Object.fromEntries(
    Object.entries(oddRepository).flatMap(([path, content]) =>
      path.startsWith(`${model}/`) && typeof content === "string" ? [[path, content]] : [],
    ),
  ),
  strict: false,
  release: "24.10",
  verdict: { [model]: server ? "ready" : "refused" },
}));

test("`pipeline check`, `pipeline dev` and a recorded server accept the same models and refuse the rest", async () => {
  const rows = new Map<string, number>();
  const differing: string[] = [];
  const agreeing = { ready: 0, refused: 0 };
  for (const one of [...oddCases, ...corpusFiles().flatMap(readCorpus)]) {
    const files = filesOf(one);
    const local = await judgeLocally(files);
    const checked = checkerRefusals(files, one.strict, one.release);
    for (const [model, server] of Object.entries(one.verdict)) {
      const own = local.get(model) ?? { ready: false, reason: "no such model" };
      const found = checked.get(model) ?? [];
      const said = { check: saidOf(found.length === 0), dev: saidOf(own.ready), server };
      const agrees = said.check === server && said.dev === server;
      const why = agrees || said.check !== server ? undefined : excuse(server, found, own);
      if (agrees) agreeing[server]++;
      else if (why === undefined)
        differing.push(
          `${one.about}: the server has ${model} ${server}, the checker says ${found.map(({ code }) => code).join(", ") || "nothing"}, here it is ${own.ready ? "ready" : own.reason}`,
        );
      const row = [one.about, said.check, said.dev, server, why ?? ""].join(" | ");
      rows.set(row, (rows.get(row) ?? 0) + 1);
    }
  }
  expect(differing).toEqual([]);
  expect(agreeing.ready).toBeGreaterThan(500);
  expect(agreeing.refused).toBeGreaterThan(300);
  const table = [...rows].map(([row, models]) => `| ${row} | ${models} |`).join("\n");
  await expect(`${head}\n${table}\n`).toMatchFileSnapshot("agreement.snap.md");
});

const saidOf = (ready: boolean): Said => (ready ? "ready" : "refused");

const head = `# What is served, by three judges

One row for each odd configuration and for each kind of repository that is generated from the rules (the number is that of the rule).
\`served-as-in-triton.test.ts\` writes this table with Vitest's \`--update\`. It fails if a row differs without a reason. \`judge.test.ts\` compares
the record with a real Triton 24.10.

| configuration | \`check\`, \`build\` | \`pipeline dev\` | real Triton | why \`pipeline dev\` differs | models |
| --- | --- | --- | --- | --- | ---: |`;

test("the documentation lists the features that a laptop lacks", () => {
  const page = readFileSync(new URL("../../../docs/dev.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| \[`([^`]+)`\]\(diagnostics\/\1\.md\) \| (.*) \|$/gm)];
  expect(new Map(rows.map(([, code = "", reason = ""]) => [code, reason]))).toEqual(laptopExceptions);
});
