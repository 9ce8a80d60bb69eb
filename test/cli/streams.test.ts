import { expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject } from "../fixtures/project.ts";
import { chatProject } from "../openai/chat-project.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";

const requests = {
  "chat.jsonl": '{"prompt": ["abc"], "seed": [3]}\n',
  "whole.jsonl": '{"question": ["abc"], "seed": [3]}\n',
};

test("commands that need single answers refuse ensembles that stream, or leave them out", async () => {
  const project = makeProject({ ...chatProject, ...requests });
  onTestFinished(project.remove);
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const run = (...args: readonly string[]) => pipeline(project, args, { env });
  const { url } = await serveHere(project, ["--no-watch"], { env });

  const tune = await run("tune", "chat", "--target", "throughput");
  expect(tune.code).toBe(1);
  expect(tune.err).toContain(
    "error[request/streams]: `chat` streams its answers, which `pipeline tune` does not support\n  = help: measure it under load: pipeline bench\n",
  );
  const rate = ["--rate", "5", "--p99", "1s"];
  const plan = await run("plan", "chat", ...rate);
  expect(plan.code).toBe(1);
  expect(plan.err).toContain("error[plan/not-simulated]: `chat` has streams, which `pipeline plan` does not");
  // Optional inputs may be left out.
  const planned = await run("plan", "whole", ...rate, "--requests", "whole.jsonl", "--seconds", "0.05");
  expect(planned.err).toContain("measuring `whole` in");

  const drift = ["drift", url, "build"];
  const named = await run(...drift, "--model", "chat", "--dataset", "chat.jsonl");
  expect(named.code).toBe(1);
  expect(named.err).toContain(
    "error[request/streams]: `chat` streams its answers, which `pipeline drift` does not support\n  = help: for text generation, compare the same ensemble without `stream: true`\n",
  );
  const common = await run(...drift, "--dataset", "whole.jsonl");
  expect(common.err).toContain(
    "not compared, because they stream or have sequences: `chat`, `needy`, `plain`\n",
  );
  expect([common.code, common.out]).toEqual([0, expect.stringContaining("whole: 1 row in 1 request\n")]);

  const smoke = await run("smoke", "chat", "whole", "--url", url);
  expect(smoke.err).toContain("note `chat` streams its responses: only its contract can be checked\n");
  expect(smoke.err).toContain("note `whole` has no samples: only its contract can be checked\n");
  expect([smoke.code, smoke.out]).toEqual([0, expect.stringContaining("chat    contract  ok")]);
});
