import { appendFileSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { test } from "vitest";
import { checkerRefusals } from "./checker-verdict.ts";
import { draftFiles } from "./draft.ts";
import { faults } from "./faults.ts";
import { startJudge, stubbedTriton } from "./server-judge.ts";

const out = "/tmp/check-judge/survey.txt";
const N = Number(process.env["N"] ?? 5);
const only = process.env["ONLY"]?.split(",");
test("survey", async () => {
  writeFileSync(out, "");
  const say = (s: string) => appendFileSync(out, s + "\n");
  const triton = await stubbedTriton();
  const judges = { true: await startJudge(triton, { strict: true }), false: await startJudge(triton, { strict: false }) };
  const t0 = Date.now();
  let n = 0;
  for (const fault of faults) {
    if (only && !only.includes(fault.rule)) continue;
    const strict = !fault.completed;
    for (const [kind, edits] of [["refused", fault.refused], ["accepted", fault.accepted]] as const) {
      if (!edits) continue;
      const sample = fc.sample(fc.tuple(fault.on, edits), { numRuns: fault.costly ? Math.min(N, 3) : N, seed: 7 });
      let good = 0; const bad: string[] = []; const t1 = Date.now();
      for (const [draft, edit] of sample) {
        let files;
        try { files = draftFiles(edit(draft)); } catch (e) { bad.push("PRINT " + e); continue; }
        const v = await judges[`${strict}`].judge(files); n++;
        const subject = edit(draft).at(-1)!.name;
        const s = v.get(subject);
        const aimed = kind === "accepted" ? s?.ready : s && !s.ready && fault.says!.test(s.reason);
        if (aimed) good++; else bad.push(`AIM ${JSON.stringify(s)} ${JSON.stringify(files)}`);
        let c;
        try { c = checkerRefusals(files, strict); } catch (e) { bad.push("CRASH " + (e as Error).stack); continue; }
        for (const [m, verdict] of v) {
          const r = c.get(m) ?? [];
          if (verdict.ready !== (r.length === 0)) bad.push(`DISAGREE ${m} server=${verdict.ready ? "ready" : verdict.reason} checker=${r.map((d) => d.code + ": " + d.message).join(" | ")} ${JSON.stringify(files)}`);
        }
      }
      say(`${fault.rule} ${fault.about} ${kind}: ${good}/${sample.length} ${Date.now() - t1}ms`);
      for (const b of bad.slice(0, 4)) say("    " + b.slice(0, 1500));
    }
  }
  say(`total ${n} in ${Date.now() - t0}`);
  for (const j of Object.values(judges)) await j.close();
}, 600000);
