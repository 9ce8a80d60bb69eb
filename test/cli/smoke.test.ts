import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { answerHttp } from "../fixtures/listen.ts";
import { doubleModel, scaleModel } from "../fixtures/models.ts";
import { pipeline } from "./run-pipeline.ts";
import { checked, proxyOf, serve, serveBuild, warm } from "./served-build.ts";
import { pipelineSource, project } from "./small-project.ts";

test("a server with the same build passes every check", async () => {
  const made = project({ "pipeline.ts": warm() });
  const url = await serveBuild(made);
  const { code, out } = await pipeline(made, ["smoke", "--url", url]);
  expect(checked(out)).toEqual([
    "server ready ok",
    "total contract ok",
    "total warmup ok",
    "total answers ok",
    "total latency ok",
  ]);
  expect(out).toMatch(/total {3}contract {2}ok {6}[\da-f]{12}\n/);
  expect(out).toContain("1 sample, max abs 0.0e+0");
  expect(out).toMatch(/median \d+\.\d ms, p99 \d+\.\d ms; the build in the local runtime \d+\.\d ms\n$/);
  expect(code).toBe(0);
});

test("a different contract, different weights, missing warmup and slow answers are reported", async () => {
  const made = project({ "pipeline.ts": warm() });
  expect(await pipeline(made, ["build"])).toMatchObject({ code: 0 });

  const other = project({ "pipeline.ts": warm(pipelineSource.replace("return { sum:", "return { add:")) });
  const renamed = await pipeline(made, ["smoke", "--url", await serveBuild(other)]);
  expect(renamed).toMatchObject({ code: 1, err: expect.stringContaining("built") });
  expect(checked(renamed.out)).toEqual(["server ready ok", "total contract FAILED"]);

  const changed = project({ "pipeline.ts": pipelineSource, "models/double.onnx": scaleModel(3) });
  const url = await serveBuild(changed);
  const { code, out } = await pipeline(made, [
    "smoke",
    "--url",
    url,
    "--repeats",
    "1",
    "--limit",
    "p99<0.0001ms",
  ]);
  expect(code).toBe(1);
  expect(checked(out)).toEqual([
    "server ready ok",
    "total contract ok",
    "total warmup FAILED",
    "total answers FAILED",
    "total latency FAILED",
  ]);
  expect(out).toContain("double has 0 of 1 warmup requests");
  expect(out).toContain("`sum` differs: max abs 4.0e+0");
});

test("a request that fails while latencies are measured is reported", async () => {
  const made = project({ "pipeline.ts": warm() });
  const url = await proxyOf(await serveBuild(made), 1, (response) =>
    response.writeHead(500, { "content-type": "application/json" }).end('{"error":"out of memory"}'),
  );
  const { code, out } = await pipeline(made, ["smoke", "--url", url, "--limit", "p99<10s"]);
  expect(checked(out).slice(-2)).toEqual(["total answers ok", "total latency FAILED"]);
  expect(out).toContain("a request failed: out of memory");
  expect(code).toBe(1);
});

test("without --limit, a server may not be much slower than the build", async () => {
  const made = project({ "pipeline.ts": warm() });
  const url = await proxyOf(await serveBuild(made), 0, (_, pass) => void setTimeout(pass, 1500));
  const { code, out } = await pipeline(made, ["smoke", "--url", url, "--repeats", "3"]);
  expect(out).toMatch(
    /total {3}latency {3}FAILED {2}median is \d{4}\.\d ms, more than \d+\.\d ms: 10 times the build's \d+\.\d ms plus 100 ms\n$/,
  );
  expect(code).toBe(1);
  const limited = await pipeline(made, ["smoke", "--url", url, "--repeats", "1", "--limit", "p99<60s"]);
  expect(limited.code).toBe(0);
});

test("a server that does not answer ends the command after --timeout; the message says what it did not answer", async () => {
  const made = project({ "pipeline.ts": warm() });
  const silent = await answerHttp(() => {});
  const hangs = await pipeline(made, ["smoke", "--url", silent, "--timeout", "0.1"]);
  expect(hangs).toMatchObject({
    code: 2,
    err: expect.stringContaining(`error[server/silent]: ${silent}/v2 did not answer within 100 ms\n`),
  });
  const url = await proxyOf(await serveBuild(made), 0, () => {});
  expect(await pipeline(made, ["smoke", "--url", url, "--timeout", "2"])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${url}/v2/models/total/infer did not answer within 2000 ms\n`),
  });
}, 60_000);

const page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body></html>";

test.each([
  [
    401,
    '{"error":"no token"}',
    "the server answered 401: no token",
    "--header 'Authorization: Bearer ${TOKEN}'",
  ],
  [403, "", "the server answered 403 without a reason", "pass a valid login as a header"],
  [502, page, "the server answered 502: 502 Bad Gateway\n", "a proxy answers, but not the server behind it"],
])("HTTP %i is reported as the answer, with what to do", async (status, body, answered, help) => {
  const url = await answerHttp((_, response) => response.writeHead(status).end(body));
  const { code, err } = await pipeline(project(), ["smoke", "--url", url]);
  expect(code).toBe(2);
  expect(err).toContain(`error[server/refuses]: ${url}/ does not let requests through: ${answered}`);
  expect(err).toContain(help);
});

test("an address with a path that leads to no server says so", async () => {
  const made = project();
  const url = await serveBuild(made);
  const { code, err } = await pipeline(made, ["smoke", "--url", `${url}/v2/models/total`]);
  expect(code).toBe(2);
  expect(err).toContain(
    `error[server/not-kserve]: ${url}/v2/models/total is not a KServe v2 server: the server answered 404`,
  );
  expect(err).toContain(`= help: leave out the path /v2/models/total: --url ${url}\n`);
});

test("a model that the server does not have, or that is not ready, is named", async () => {
  const made = project({ "pipeline.ts": warm() });
  const other = project({ "pipeline.ts": warm(pipelineSource.replaceAll('"double"', '"twice"')) });
  const member = await pipeline(made, ["smoke", "--url", await serveBuild(other)]);
  expect(checked(member.out)).toContain("total warmup FAILED");
  expect(member.out).toContain("the server does not have `double`, or it is not ready");
  expect(member.out).not.toContain("of 1 warmup requests");

  const renamed = project({ "pipeline.ts": warm(pipelineSource.replaceAll("total", "sum_of")) });
  const { out } = await pipeline(made, ["smoke", "--url", await serveBuild(renamed)]);
  expect(checked(out)).toEqual(["server ready ok", "total contract FAILED"]);
  expect(out).toContain("the server does not have `total`, or it is not ready");

  rmSync(made.path("build/model_repository/double/1/model.onnx"));
  const url = await serve(made);
  const unready = await pipeline(made, ["smoke", "--url", url]);
  expect(unready.out).toMatch(/^server {2}ready {5}FAILED {2}not every model is ready: `double`, `total`/);
});

test("without samples, only the contract is checked, and a limit fails because nothing is measured", async () => {
  const made = project();
  const args = ["smoke", "--url", await serveBuild(made)];
  const plain = await pipeline(made, args);
  expect(checked(plain.out)).toEqual(["server ready ok", "total contract ok"]);
  expect(plain.code).toBe(0);
  const limited = await pipeline(made, [...args, "--limit", "p99<10s"]);
  expect(checked(limited.out)).toEqual(["server ready ok", "total contract ok", "total latency FAILED"]);
  expect(limited).toMatchObject({
    code: 1,
    out: expect.stringContaining("not measured: `total` has no samples"),
  });
});

test("a limit applies to the ensembles with samples, and fails for a named one without any", async () => {
  const bare = pipelineSource.slice(pipelineSource.indexOf("export const")).replaceAll("total", "bare");
  const made = project({ "pipeline.ts": `${warm()}${bare}` });
  const args = ["smoke", "--url", await serveBuild(made), "--repeats", "1", "--limit", "p99<10s"];
  const { code, out, err } = await pipeline(made, args);
  expect(checked(out)).toEqual([
    "server ready ok",
    "bare contract ok",
    "total contract ok",
    "total warmup ok",
    "total answers ok",
    "total latency ok",
  ]);
  expect(code).toBe(0);
  expect(err).toContain("note `bare` has no samples: only its contract can be checked\n");
  const named = await pipeline(made, [...args, "bare", "total"]);
  expect(named).toMatchObject({
    code: 1,
    out: expect.stringContaining("not measured: `bare` has no samples"),
  });
});

test.each([
  [["smoke"], "`pipeline smoke` needs a server"],
  [["smoke", "--url", "http://127.0.0.1:1", "--limit", "fast"], "--limit is fast"],
  [["smoke", "--url", "http://127.0.0.1:1", "--timeout", "0"], "--timeout is 0"],
  [["smoke", "totl", "--url", "http://127.0.0.1:1"], "there is no ensemble `totl`"],
] as const)("%j: %s", async (args, message) => {
  const { code, err } = await pipeline(project({ "models/double.onnx": doubleModel() }), args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
