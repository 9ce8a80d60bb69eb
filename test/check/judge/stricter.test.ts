import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkRepository, entries } from "@tritype/check";
import { serveTriton } from "@tritype/tritonserver";
import { expect, test } from "vitest";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { caseHost } from "./case-files.ts";
import { judgeOptions } from "./checker-verdict.ts";
import { shownElsewhere, stricterCases } from "./stricter.ts";
import { realTriton } from "../../environment/triton.ts";
import { killTriton } from "../../triton/judge.ts";

/** A case is called after its code; further cases of a code say what is different. */
const codeOf = (title: string): string => title.replace(/,.*/, "");

test("the few refusals that are stricter than Triton are justified", () => {
  const codes = entries
    .filter(({ severity, judged }) => severity === "error" && judged === "ours")
    .map(({ code }) => code);
  const shown = new Set([...Object.keys(stricterCases).map(codeOf), ...shownElsewhere.keys()]);
  expect(codes.toSorted()).toEqual([...shown].toSorted());
  expect(codes.length).toBeLessThanOrEqual(15);
});

test.concurrent.each(Object.entries(stricterCases))(
  "%s: no request is answered",
  async (title, { files, model, shape = [2], says }) => {
    const { diagnostics } = checkRepository(caseHost(files), judgeOptions(true));
    expect(diagnostics.filter(({ severity }) => severity === "error").map((one) => one.code)).toEqual([
      codeOf(title),
    ]);
    const repository = await mkdtemp(join(tmpdir(), "tritype-stricter-"));
    writeFiles(repository, files);
    const triton = await realTriton();
    const server = await serveTriton(triton, { repository });
    await server.waitReady();
    const data = Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => 1);
    const answer = await fetch(`${server.httpUrl}/v2/models/${model}/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs: [{ name: "I", datatype: "FP32", shape, data }] }),
      signal: AbortSignal.timeout(3000),
    }).then(
      async (response) => await response.text(),
      () => "no answer",
    );
    expect(answer).toMatch(says);
    await killTriton(server);
    await rm(repository, { recursive: true, force: true });
  },
  180_000,
);
