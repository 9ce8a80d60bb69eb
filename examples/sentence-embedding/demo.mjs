// Builds this example, serves it locally, embeds six sentences over HTTP and prints the URLs and paths: node demo.mjs.
// ENCODER=minilm uses the full model (README). Uses only Node's own modules and sends the same requests as any other
// client.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";

const sentences = [
  "The kitten is dozing on the sofa.",
  "What does delivery to Canada cost?",
  "Heavy rain flooded the village.",
  "A cat sleeps on the couch.",
  "The river burst its banks after the storm.",
  "How much do you charge for shipping abroad?",
];
const model = "embed";
const startLimit = 60_000;
const answerLimit = 30_000;
const stopLimit = 10_000;
const example = import.meta.dirname;

/** An error for which only the message is printed. */
class DemoError extends Error {}

process.exitCode = await main();

async function main() {
  let interrupted = 0;
  let server;
  try {
    server = startServer(findPipeline());
    const interrupt = (code) => {
      interrupted = code;
      void server.stop();
    };
    process.once("SIGINT", () => interrupt(130)).once("SIGTERM", () => interrupt(143));
    const { repository, url } = await server.serving;
    const started = performance.now();
    const vectors = await embed(url, sentences);
    const took = `${(performance.now() - started).toFixed(0)} ms`;
    console.log(`\nCosine similarity of ${sentences.length} sentences; * marks the nearest other one\n`);
    console.log(similarityTable(sentences, vectors));
    console.log(
      `\n${vectors.length} texts → ${vectors.length} vectors of ${vectors[0].length} numbers, one request, ${took}`,
    );
    console.log(`\n${whereItLies(repository, url)}`);
    return 0;
  } catch (error) {
    if (interrupted !== 0) return interrupted;
    console.error(`\nThe demo failed: ${error instanceof DemoError ? error.message : error.stack}`);
    return 1;
  } finally {
    await server?.stop();
  }
}

function findPipeline() {
  try {
    const manifest = createRequire(import.meta.url).resolve("tritype/package.json");
    return join(dirname(manifest), "bin", "pipeline.js");
  } catch {
    throw new DemoError(
      "tritype is not installed. `npm run demo` in the repository's root installs and builds it.",
    );
  }
}

/**
 * Runs `pipeline dev`, which builds and serves, on a free port. `serving` rejects if the process ends before it serves or takes too long;
 * until then, the process's output is printed here.
 */
function startServer(pipeline) {
  const argv = [pipeline, "dev", "--project", example, "--http-port", "0", "--device", "cpu", "--no-watch"];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((end) => {
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) => end(signal ?? `exit code ${code}`));
  });
  const serving = new Promise((serve, fail) => {
    let found;
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (found === undefined) console.error(line);
      found ??= /^serving (?<repository>.+) at (?<url>http:\S+)$/.exec(line)?.groups;
      if (found !== undefined) serve({ repository: resolve(found.repository), url: found.url });
    });
    const failWith = (what) => fail(new DemoError(`\`pipeline dev\` ${what}`));
    setTimeout(() => failWith(`does not serve after ${startLimit / 1000} s`), startLimit).unref();
    void ended.then((how) =>
      failWith(`exited before it was ready (${how}); its output above gives the reason`),
    );
  });
  const stop = async () => {
    child.kill();
    const kill = setTimeout(() => child.kill("SIGKILL"), stopLimit);
    await ended;
    clearTimeout(kill);
  };
  return { serving, stop };
}

/** One vector of length 1 per text. Source: KServe's Open Inference Protocol v2, "Inference". */
async function embed(url, texts) {
  const input = { name: "text", shape: [texts.length, 1], datatype: "BYTES", data: texts };
  const response = await fetch(inferUrl(url), {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ inputs: [input] }),
    signal: AbortSignal.timeout(answerLimit),
  });
  const answer = await response.json();
  if (!response.ok) throw new DemoError(`${inferUrl(url)} answers ${response.status}: ${answer.error}`);
  const { shape, data } = answer.outputs.find(({ name }) => name === "embedding");
  return texts.map((_, row) => data.slice(row * shape[1], (row + 1) * shape[1]));
}

function inferUrl(url) {
  return `${url}/v2/models/${model}/infer`;
}

function similarityTable(texts, vectors) {
  const width = Math.max(...texts.map((text) => text.length));
  const heading = texts.map((_, column) => `${column + 1}`.padStart(6)).join(" ");
  const rows = texts.map((text, row) => {
    const similarities = vectors.map((other) => dot(vectors[row], other));
    const best = Math.max(...similarities.filter((_, column) => column !== row));
    const cells = similarities.map((similarity, column) => {
      if (column === row) return "     – ";
      return `${similarity.toFixed(2).padStart(6)}${similarity === best ? "*" : " "}`;
    });
    return `${row + 1}  ${text.padEnd(width)}${cells.join("")}`.trimEnd();
  });
  return [`   ${" ".repeat(width)}${heading}`, ...rows].join("\n");
}

function dot(a, b) {
  return a.reduce((sum, x, index) => sum + x * b[index], 0);
}

function whereItLies(repository, url) {
  const configs = readdirSync(repository)
    .toSorted()
    .map((name) => join(repository, name, "config.pbtxt"));
  const request = { inputs: [{ name: "text", shape: [1, 1], datatype: "BYTES", data: ["Good morning."] }] };
  const lines = [
    ["pipeline", shown(join(example, "pipeline.ts"))],
    ["repository", shown(repository)],
    ["manifest", shown(join(repository, "..", "manifest.json"))],
    ...configs.map((path, index) => [index === 0 ? "configs" : "", shown(path)]),
    ["served at", `${url} (stopped now)`],
    ["serve it", `cd ${shown(example)} && npx pipeline dev`],
    ["ask it", `curl ${inferUrl("http://127.0.0.1:8000")} -d '${JSON.stringify(request)}'`],
  ];
  return lines.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n");
}

/** A path as you would type it in this folder: relative if it is below this folder. */
function shown(path) {
  const near = relative(process.cwd(), path) || ".";
  return near.startsWith("..") ? path : near;
}
