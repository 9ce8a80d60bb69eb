import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeUtf8 } from "@tritype/core";
import { installTriton, serveTriton } from "@tritype/tritonserver";
import { assembleTwin } from "../twins/assemble.mjs";
import { effort } from "../twins/effort.mjs";
import { runNode } from "./child.mjs";
import { bodies } from "./load.mjs";
import { summarize } from "./measure.mjs";
import { copyExample, makeProject, pipelineBin } from "./projects.mjs";
import { sentences } from "./texts.mjs";

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const examples = fileOf("../../examples");
const minilm = join(examples, "sentence-embedding", ".cache", "minilm");
const cache = process.env.TRITYPE_CACHE ?? fileOf("../../.cache");
const clientCounts = [1, 4, 16];
const seconds = 1.2;

/** Two published deployments, their files by hand and ours: one real Triton, one encoder, the same texts, in turn. */
export const twins = async (runs = 6) => {
  if (!existsSync(join(minilm, "model.onnx")))
    throw new Error("make the encoder first: node examples/sentence-embedding/scripts/make-minilm.mjs");
  const installation = await installTriton({ cache, notice: console.error });
  const caller = fork(fileOf("load-caller.mjs"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await once(caller, "message");
  const load = async (message) => {
    caller.send(message);
    const [answer] = await once(caller, "message");
    return answer;
  };
  try {
    const sections = [];
    for (const twin of ["e5", "biolinkbert"])
      sections.push(await compare(twin, { runs, installation, load }));
    return sections;
  } finally {
    caller.disconnect();
  }
};

/** Whose files, and how a client asks for one text's vector; a post's client writes e5's prefix itself. */
const sides = {
  e5: {
    "by hand": { model: "e5", input: "text", shape: [1, 1], prefix: "query: " },
    Tritype: { model: "embed_query", input: "text", shape: [1, 1], prefix: "" },
  },
  biolinkbert: {
    "by hand": { model: "ensemble_model", input: "TEXT", shape: [1], prefix: "" },
    Tritype: { model: "embed", input: "text", shape: [1, 1], prefix: "" },
  },
};

const compare = async (twin, { runs, installation, load }) => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-twins-"));
  const project = projects[twin]();
  try {
    const env = { ...process.env, ENCODER: "minilm" };
    runNode([pipelineBin, "build"], { cwd: project.root, env });
    cpSync(join(project.root, "build", "model_repository"), folder, { recursive: true });
    const files = { model: join(minilm, "model.onnx"), tokenizer: join(minilm, "tokenizer.json") };
    assembleTwin(twin, folder, { ...files, size: 384, python: installation.python });
    const server = await serveTriton(installation, { repository: folder, configName: "cpu" });
    try {
      await server.waitReady();
      return await measure(twin, { runs, load, url: server.httpUrl });
    } finally {
      await server.stop();
    }
  } finally {
    project.remove();
    rmSync(folder, { recursive: true });
  }
};

const projects = {
  e5: () => {
    const project = copyExample();
    symlinkSync(join(minilm, ".."), join(project.root, ".cache"));
    return project;
  },
  biolinkbert: () => {
    const project = makeProject();
    cpSync(join(examples, "biolinkbert-embedding"), project.root, {
      recursive: true,
      filter: (path) => !/node_modules|build$/.test(path),
    });
    const standIn = join(project.root, "models", "stand-in.ts");
    const text = readFileSync(standIn, "utf8")
      .replace("../sentence-embedding/assets/static/model.onnx", join(minilm, "model.onnx"))
      .replace("../sentence-embedding/assets/tokenizer", minilm)
      .replace('"seq", 128', '"seq", 384');
    writeFileSync(standIn, text);
    return project;
  },
};

const measure = async (twin, { runs, load, url }) => {
  const samples = new Map();
  for (let round = 0; round < runs; round++)
    for (const clients of clientCounts)
      for (const [side, call] of Object.entries(sides[twin])) {
        const message = { protocol: "http", target: url, bodies: bodiesOf(call), clients };
        await load({ ...message, seconds: 0.25 });
        const name = `${clients} ${clients === 1 ? "client" : "clients"}, ${side}`;
        samples.set(name, [...(samples.get(name) ?? []), await load({ ...message, seconds })]);
      }
  const median = (all, key) => summarize(all.map((sample) => sample[key])).median;
  const { hand, ours } = effort(twin);
  return {
    title: twin,
    rows: [...samples].map(([name, all]) => ({
      name,
      ...summarize(all.map(({ p50 }) => p50)),
      extra: {
        "p99 ms": median(all, "p99").toFixed(1),
        "requests/s": median(all, "rate").toFixed(1),
        "of by hand": ofByHand(all, samples.get(name.replace("Tritype", "by hand"))).toFixed(2),
      },
    })),
    notes: [
      `written: ${hand.files} files, ${hand.lines} lines by hand; ${ours.files} files, ${ours.lines} lines with Tritype`,
      "of by hand: the median of the rounds' own ratios; ours runs in its profile `cpu`",
      "a time is one request's, 50th percentile; ONNX models run on the Python stand-in of Triton's ONNX Runtime backend on both sides",
    ],
  };
};

/** Of each round, since what else the machine does falls on both sides of a round alike. */
const ofByHand = (ours, hand) => summarize(ours.map(({ rate }, round) => rate / hand[round].rate)).median;

/** 64 requests of one text each, of 6 to 60 words. */
const bodiesOf = ({ model, input, shape, prefix }) => {
  const known = sentences(256);
  return Array.from({ length: 64 }, (_, i) => known.slice(i * 4, i * 4 + 1 + (i % 4)).join(". ")).map(
    (text) => {
      const inputs = new Map([[input, { dtype: "BYTES", shape, data: [encodeUtf8(prefix + text)] }]]);
      return bodies.http(model, inputs).toString("base64");
    },
  );
};
