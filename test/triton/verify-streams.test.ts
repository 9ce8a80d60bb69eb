import { afterAll, beforeAll, expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { tinyExport } from "../fixtures/tiny-export.ts";
import { installJudge, installTime } from "./judge.ts";

const source = `import { defineEnsemble, generate, int64 } from "tritype";

const loop = generate({ name: "loop", from: "models/bart", maxNewTokens: 12, stream: true });
export const translate = defineEnsemble({
  name: "translate",
  maxBatchSize: 1,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: (texts) => loop(texts),
});
`;

let made: ProjectFixture;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: (await installJudge()).python };
  made = makeProject({ "pipeline.ts": source, ...tinyExport("bart", "models/bart") });
  const ones = [[1, 1, 1]];
  made.write(
    "samples.json",
    JSON.stringify([
      { input_ids: [[5, 6, 2]], attention_mask: ones },
      { input_ids: [[7, 3, 2]], attention_mask: ones },
    ]),
  );
}, installTime);
afterAll(() => made?.remove());

test("tokens that a generate step streams equal those of its Python and of a real Triton", async () => {
  const { code, out, err } = await pipeline(made, ["verify", "--samples", "samples.json"], { env });
  expect({ code, err, out }).toMatchObject({ code: 0 });
  for (const check of ["local python", "triton grpc"])
    expect(out).toMatch(new RegExp(`^translate +sequences +${check} .* ok$`, "m"));
  expect(out).not.toContain("triton http");
}, 120_000);

test("the streams of a real Triton can be measured over HTTP and gRPC", async () => {
  const short = ["--seconds", "1", "--warm", "0.2", "--clients", "2"];
  const asked = ["bench", "--triton", ...short, "--requests", "requests.jsonl", "--json"];
  made.write("requests.jsonl", '{ "input_ids": [[5, 6, 2]], "attention_mask": [[1, 1, 1]] }\n');
  const { code, out, err } = await pipeline(made, asked, { env });
  expect({ code, err }).toMatchObject({ code: 0 });
  const { cases } = JSON.parse(out) as {
    readonly cases: readonly {
      readonly protocol: string;
      readonly failures: readonly object[];
      readonly latency: { readonly count: number; readonly p50: number };
      readonly stream: {
        readonly responsesPerSecond: number;
        readonly first: { readonly count: number; readonly p50: number };
      };
    }[];
  };
  expect(cases.map(({ protocol }) => protocol)).toEqual(["http", "grpc"]);
  for (const { failures, latency, stream } of cases) {
    expect(failures).toEqual([]);
    expect(latency.count).toBeGreaterThan(1);
    expect(stream.first.count).toBeGreaterThanOrEqual(latency.count);
    expect(stream.first.p50).toBeLessThanOrEqual(latency.p50);
    expect(stream.responsesPerSecond).toBeGreaterThan(1);
  }
}, 120_000);
