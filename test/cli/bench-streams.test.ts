import { readFileSync } from "node:fs";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { chatProject } from "../openai/chat-project.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";

let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
});

/** Waits 40 ms, and then sends 5 responses, each 10 ms after the previous one. A negative number is an error in mid-stream. */
const slow = `import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            sender = request.get_response_sender()
            time.sleep(0.03)
            for number in range(5):
                time.sleep(0.01)
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("y", x + number)]))
                if x.min() < 0:
                    sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError("negative")))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const source = `import { defineEnsemble, int64, python } from "tritype";

const count = python({
  name: "count",
  file: "steps/count.py",
  inputs: { x: int64("batch", 1) },
  outputs: { y: int64("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
export const counting = defineEnsemble({
  name: "counting",
  maxBatchSize: 1,
  inputs: { x: int64("batch", 1) },
  run: ({ x }) => count({ x }),
});
`;
const made = (...requests: readonly number[]): ProjectFixture => {
  const project = makeProject({
    "pipeline.ts": source,
    "steps/count.py": slow,
    "requests.jsonl": requests.map((x) => JSON.stringify({ x: [[x]] })).join("\n"),
  });
  onTestFinished(() => project.remove());
  return project;
};
const args = ["bench", "--requests", "requests.jsonl", "--seconds", "1", "--warm", "0.1", "--clients", "1"];

interface Times {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}
interface Result {
  readonly cases: readonly {
    readonly protocol: string;
    readonly failures: readonly { readonly status: string; readonly message: string }[];
    readonly latency?: Times;
    readonly stream?: { readonly responsesPerSecond: number; readonly first: Times; readonly gap: Times };
  }[];
}

test("bench measures first responses, gaps, responses per second and whole streams, over HTTP and gRPC", async () => {
  const project = made(1, 2);
  const { code, out, err } = await pipeline(project, [...args, "--json", "--html", "r.html"], { env });
  expect({ code, err }).toMatchObject({ code: 0 });
  const { cases } = JSON.parse(out) as Result;
  expect(cases.map(({ protocol }) => protocol)).toEqual(["http", "grpc"]);
  for (const { failures, latency, stream } of cases) {
    expect(failures).toEqual([]);
    expect(stream?.first.min).toBeGreaterThan(39);
    expect(stream?.gap.max).toBeGreaterThan(9);
    // On a busy machine a response may come late and the next one at once, but the last one never comes early.
    const last = (stream?.first.mean ?? 0) + 4 * (stream?.gap.mean ?? 0);
    expect(last).toBeGreaterThan(79);
    expect(latency?.mean).toBeGreaterThan(last - 0.1);
    expect(stream?.first.count).toBe(latency?.count);
    expect(stream?.gap.count).toBe(4 * (latency?.count ?? 0));
    expect(stream?.responsesPerSecond).toBeGreaterThan(5);
  }
  expect(readFileSync(project.path("r.html"), "utf8")).toContain(
    "The latency in the other tables is that of whole streams",
  );
});

test("the table of streams follows that of requests, and two results can be compared", async () => {
  const project = made(1);
  const shown = await pipeline(project, [...args, "--protocol", "grpc"], { env });
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toMatch(
    /^streams +responses\/s +first p50 +first p90 +first p99 +gap p50 +gap p90 +gap p99\ngRPC, 1 client +[\d.]+ +[\d.]+ ms +[\d.]+ ms +– +[\d.]+ ms +[\d.]+ ms/m,
  );
  expect(shown.err).toMatch(
    /^gRPC, 1 client: [\d.]+ requests\/s, first response p50 [\d.]+ ms, p50 [\d.]+ ms/m,
  );
  const json = await pipeline(project, [...args, "--protocol", "grpc", "--json"], { env });
  project.write("a.json", json.out);
  expect(await pipeline(project, ["bench", "--compare", "a.json", "a.json"], { env })).toMatchObject({
    code: 0,
  });
});

test.each(["http", "grpc"])(
  "an error in mid-stream over %s is refused before the load, with its request",
  async (protocol) => {
    const { code, err } = await pipeline(made(1, -1), [...args, "--protocol", protocol], { env });
    expect(code).not.toBe(0);
    expect(err).toContain(
      "requests.jsonl, request 2: the server refused it: in ensemble 'counting', negative",
    );
  },
);

test("requests for a language model are generated, with its stop strings, or without them for a server", async () => {
  const project = makeProject(chatProject);
  onTestFinished(() => project.remove());
  const asked = [
    "bench",
    "chat",
    "--seconds",
    "0.5",
    "--warm",
    "0.1",
    "--clients",
    "1",
    "--protocol",
    "http",
  ];
  const built = await pipeline(project, [...asked, "--json"], { env });
  expect(built).toMatchObject({ code: 0 });
  expect(built.err).toContain(": 1 request (generated from the types)");
  const server = await serveHere(project, ["--no-watch"], { env });
  const served = await pipeline(project, [...asked, "--url", server.url], { env });
  await server.stop();
  expect(served).toMatchObject({ code: 0 });
  expect(served.err).toContain(": 1 request (generated from the types, without optional inputs)");
});
