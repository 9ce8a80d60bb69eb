import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Diagnostic } from "@tritype/core";
import { checkerRefusals } from "../judge/checker-verdict.ts";
import type { Verdict } from "../judge/server-judge.ts";
import { corpusFiles, filesOf, readCorpus } from "../judge/verdict-corpus.ts";
import { laptopExceptions } from "../../../packages/runtime/src/repository/laptop-exceptions.ts";
import { holdsOnLaptop } from "./laptop.ts";
import { judgeLocally } from "./stub-runtime.ts";

/** Why the local runtime may differ from a server of the record; undefined if it may not. */
const excuse = (server: "ready" | "refused", found: readonly Diagnostic[], local: Verdict) => {
  if (server === "refused")
    return found.some((one) => holdsOnLaptop(one) && !one.code.startsWith("python/"))
      ? undefined
      : "the server's machine, the laptop's list, or Python code that a stub runs here";
  return excuses.find(([words]) => words.test(local.reason))?.[1];
};

/** Refusals of the local runtime for models that a server with stub backends loads, by message. */
const excuses: readonly (readonly [words: RegExp, why: string])[] = [
  [/which the local runtime does not (?:have|support)/, "the local runtime does not have it"],
  [/which the PyTorch backend does not have/, "a stub takes what the backend would not"],
  [/at least one version must be available/, "folders such as `1abc`, which a stub never opens"],
  [/which is an input of the ensemble/, "its requests never end in Triton"],
];

test("the local runtime serves the models that a server of the record serves, and refuses the rest", async () => {
  const differing: string[] = [];
  const excused = new Map<string, number>();
  const agreeing = { ready: 0, refused: 0 };
  for (const one of corpusFiles().flatMap(readCorpus)) {
    const files = filesOf(one);
    const local = await judgeLocally(files);
    const checked = checkerRefusals(files, one.strict, one.release);
    for (const [model, server] of Object.entries(one.verdict)) {
      const own = local.get(model) ?? { ready: false, reason: "no such model" };
      if (own.ready === (server === "ready")) {
        agreeing[server]++;
        continue;
      }
      const found = checked.get(model) ?? [];
      const why = excuse(server, found, own);
      if (why !== undefined) excused.set(why, (excused.get(why) ?? 0) + 1);
      else
        differing.push(
          `${one.about}: the server has ${model} ${server}, the checker says ${found.map(({ code }) => code).join(", ") || "nothing"}, here it is ${own.ready ? "ready" : own.reason}`,
        );
    }
  }
  console.log(agreeing, excused);
  expect(differing).toEqual([]);
  expect(agreeing.ready).toBeGreaterThan(500);
  expect(agreeing.refused).toBeGreaterThan(300);
});

test("the documentation lists the features that a laptop lacks", () => {
  const page = readFileSync(new URL("../../../docs/dev.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| \[`([^`]+)`\]\(diagnostics\/\1\.md\) \| (.*) \|$/gm)];
  expect(new Map(rows.map(([, code = "", reason = ""]) => [code, reason]))).toEqual(laptopExceptions);
});
