// How long crafted bodies block a server's event loop:
// node test/bench/bodies.mjs http://127.0.0.1:8000 <model> <input> [turns]
// The model has one BYTES input. While each body is served, /v2/health/ready is requested every 10 ms; the slowest
// answer bounds the pause. `turns` is the address of event-loop.mjs in the server: it reports the longest turn, which
// does not depend on other programs.
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const [url = "http://127.0.0.1:8000", model = "embed", input = "text", turns] = process.argv.slice(2);
const infer = (shape, data = "[]", datatype = "BYTES") =>
  `{"inputs":[{"name":"${input}","datatype":"${datatype}","shape":[${shape}],"data":${data}}]}`;
const dims = (count) => Array(count).fill("9223372036854775807").join(",");
const mebi = 2 ** 20;
const bodies = {
  "40,000 dims of 2^63-1": infer(dims(40_000)),
  "100,000 dims of 2^63-1": infer(dims(100_000)),
  "the same, gzip": gzipSync(infer(dims(100_000))),
  "60 MB of [": "[".repeat(60 * mebi),
  "60 MB of [ in data": infer("1,1", "[".repeat(60 * mebi)),
  "60 MB of [ by gzip": gzipSync("[".repeat(60 * mebi)),
  "30 million dims of 1": infer(`${"1,".repeat(30_000_000)}1`),
  "300,000 inputs": `{"inputs":[${Array.from({ length: 300_000 }, (_, i) => `{"name":"x${i}","datatype":"FP32","shape":[1],"data":[1]}`).join(",")}]}`,
  "20 million empty texts": infer("20000000,1", `[${'"",'.repeat(19_999_999)}""]`),
  "one text of 60 MB": infer("1,1", `["${"x".repeat(60 * mebi)}"]`),
  "60 MB of escapes": infer("1,1", `["${"\\n".repeat(30 * mebi)}"]`),
  "an id of 60 MB": `{"id":"${"x".repeat(60 * mebi)}","inputs":[]}`,
  "an id of 60 MB of escapes": `{"id":"${"\\n".repeat(30 * mebi)}","inputs":[]}`,
  "an id of 4 MB, repeated in the error": `{"id":"${"x".repeat(4e6)}","inputs":[]}`,
  "60 MB of white space": `{"inputs":${" ".repeat(60 * mebi)}[]}`,
  "60 MB of white space in data": infer("1,1", `[${" ".repeat(60 * mebi)}"x"]`),
  "60 parameters of 1 MB": `{"parameters":{${Array.from({ length: 60 }, (_, i) => `"${i}":"${"x".repeat(mebi)}"`).join(",")}},"inputs":[]}`,
  "a number of 60 MB": infer("1", `[${"1".repeat(60 * mebi)}]`, "FP32"),
  "6 million numbers, 60 MB": infer("6000000", `[${"0.1234567,".repeat(5_999_999)}0.1234567]`, "FP32"),
};

const ready = async () => {
  const from = performance.now();
  await (await fetch(`${url}/v2/health/ready`)).arrayBuffer();
  return performance.now() - from;
};
/** The longest turn since the last call. */
const longestTurn = async () =>
  turns === undefined ? { clock: Number.NaN, processor: Number.NaN } : (await fetch(turns)).json();

console.log(
  "body | MB sent | status | served in ms | longest wait for ready in ms | longest turn in ms | its processor time in ms",
);
await fetch(`${url}/v2/models/${model}/infer`, { method: "POST", body: infer("1,1", '["a first request"]') });
for (const [name, body] of Object.entries(bodies)) {
  const served = new AbortController();
  const waits = [];
  const probe = (async () => {
    while (!served.signal.aborted) {
      waits.push(await ready());
      await sleep(10);
    }
  })();
  await sleep(50);
  await longestTurn();
  const from = performance.now();
  const headers = typeof body === "string" ? {} : { "Content-Encoding": "gzip" };
  const answer = await fetch(`${url}/v2/models/${model}/infer`, { method: "POST", body, headers });
  const text = await answer.text();
  const took = performance.now() - from;
  await sleep(50);
  served.abort();
  await probe;
  const { clock, processor } = await longestTurn();
  console.log(
    [
      name,
      (body.length / 1e6).toFixed(3),
      answer.status,
      Math.round(took),
      Math.round(Math.max(...waits)),
      Math.round(clock),
      Math.round(processor),
    ].join(" | "),
    text.length > 300 ? `(${text.length} characters of answer)` : text,
  );
}
