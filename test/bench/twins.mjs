import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { encodeUtf8 } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { assembleTwin } from "../twins/assemble.mjs";
import { effort } from "../twins/effort.mjs";
import { runNode } from "./child.mjs";
import { bodies } from "./load.mjs";
import { summarize } from "./measure.mjs";
import { onnxBackendNote } from "./onnx-backend.mjs";
import { descendantsOf, processorTime } from "./process-tree.mjs";
import { copyExample, demandMinilm, makeProject, minilm, pipelineBin } from "./projects.mjs";
import { sentences } from "./texts.mjs";

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const examples = fileOf("../../examples");
const sentimentExample = join(examples, "sentiment-tensorrt");
const translationExample = join(examples, "m2m100-translation");
const clientCounts = [1, 4, 16];
const seconds = 1.2;

/**
 * Five published deployments: their hand-written files and ours without settings, in one real Triton, with the same
 * model and texts, in turn.
 * @param names Names in `systems`; default: all.
 */
export const twins = async (runs = 6, names = Object.keys(systems)) => {
  if (names.some((name) => systems[name].files === encoder)) demandMinilm();
  const installation = await installTriton({ cache: cacheFolder(process.env), notice: console.error });
  const caller = fork(fileOf("load-caller.mjs"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await once(caller, "message");
  const load = async (message) => {
    const before = serverTime(caller.pid);
    caller.send(message);
    const [answer] = await once(caller, "message");
    return { ...answer, processorMs: (serverTime(caller.pid) - before) / 1000 / answer.requests };
  };
  try {
    const sections = [];
    for (const name of names) sections.push(await compare(name, { runs, installation, load }));
    return sections;
  } finally {
    caller.disconnect();
  }
};

/** Microseconds of processor time of all descendants of this process, without the load generator. */
const serverTime = (callerPid) =>
  descendantsOf(process.pid).reduce(
    (sum, { pid }) => (pid === callerPid ? sum : sum + processorTime(pid)),
    0,
  );

const compare = async (twin, { runs, installation, load }) => {
  const { buildOurs, files, profile } = systems[twin];
  const folder = mkdtempSync(join(tmpdir(), "tritype-twins-"));
  try {
    await buildOurs(folder);
    assembleTwin(twin, folder, { ...files, python: installation.python });
    const server = await serveTriton(installation, {
      repository: folder,
      // On a busy machine, the warmup of an encoder takes minutes.
      startTimeout: 600_000,
      ...(profile === undefined ? {} : { configName: profile }),
    });
    try {
      await server.waitReady();
      return await measure(twin, { runs, load, installation, url: server.httpUrl });
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Copies a project's build into a folder, and removes the project. */
const buildProject = (project, folder) => {
  try {
    runNode([pipelineBin, "build"], { cwd: project.root, env: { ...process.env, ENCODER: "minilm" } });
    cpSync(join(project.root, "build", "model_repository"), folder, { recursive: true });
  } finally {
    project.remove();
  }
};

/** Copies an example's build into a folder. */
const buildExample = async (name, folder) => {
  const { compilation } = await compileProject(findProject(join(examples, name)));
  const build = mkdtempSync(join(tmpdir(), "tritype-twins-"));
  writeBuild(build, compilation.build.tree);
  cpSync(join(build, "model_repository"), folder, { recursive: true });
  rmSync(build, { recursive: true });
};

/** 64 texts of about 10 words, and 64 of 6 to 60. */
const textsForEncoders = {
  short: sentences(256)
    .filter((text) => [9, 10].includes(text.split(" ").length))
    .concat(sentences(512).slice(256))
    .slice(0, 64)
    .map((text) => text.split(" ").slice(0, 10).join(" ")),
  mixed: Array.from({ length: 64 }, (_, i) =>
    sentences(256)
      .slice(i * 4, i * 4 + 1 + (i % 4))
      .join(". "),
  ),
};

/** Sentences that the classifier was not trained on, 3 to 20 words. */
const heldOut = readFileSync(join(sentimentExample, "data", "held-out.tsv"), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.split("\t")[1]);

/** 64 of these sentences, and 64 reviews that consist of one to four of them. */
const textsForClassifiers = {
  short: heldOut.filter((_, at) => at % 3 === 0).slice(0, 64),
  mixed: Array.from({ length: 64 }, (_, i) => heldOut.slice(i, i + 1 + (i % 4)).join(" ")),
};

/** Number words with their languages, 4 to 13 tokens: the 15 shortest, and all 30. */
const numbers = JSON.parse(readFileSync(join(translationExample, "test", "goldens.json"), "utf8"))
  .cases.find(({ name }) => name === "greedy")
  .rows.map(({ text, source, target }) => [text, source, target]);
const textsForTranslation = {
  short: numbers.toSorted(([a], [b]) => a.length - b.length).slice(0, 15),
  mixed: numbers,
};

const encoder = { model: join(minilm, "model.onnx"), tokenizer: join(minilm, "tokenizer.json"), size: 384 };
const translation = {
  model: join(translationExample, "models", "fp32"),
  tokenizer: join(translationExample, "models", "fp32", "tokenizer.json"),
};
const classifier = {
  model: join(sentimentExample, "assets", "model.onnx"),
  torchscript: join(sentimentExample, "assets", "model.pt"),
  tokenizer: join(sentimentExample, "assets", "tokenizer", "tokenizer.json"),
};

/**
 * The model's files, our build, the texts, and how a client calls each side for one text; in the post on e5, the client
 * adds the prefix.
 */
const systems = {
  e5: {
    files: encoder,
    buildOurs: (folder) => buildProject(copyExample(), folder),
    texts: textsForEncoders,
    sides: {
      "by hand": { model: "e5", inputs: ["text"], shape: [1, 1], prefix: "query: " },
      Tritype: { model: "embed_query", inputs: ["text"], shape: [1, 1] },
    },
  },
  biolinkbert: {
    files: encoder,
    buildOurs: (folder) => {
      const project = makeProject();
      cpSync(join(examples, "biolinkbert-embedding"), project.root, {
        recursive: true,
        filter: (path) => !/node_modules|build$/.test(path),
      });
      const standIn = join(project.root, "models", "stand-in.ts");
      const text = readFileSync(standIn, "utf8")
        .replace("../sentence-embedding/assets/static/model.onnx", encoder.model)
        .replace("../sentence-embedding/assets/tokenizer", minilm)
        .replace('"seq", 128', '"seq", 384');
      writeFileSync(standIn, text);
      buildProject(project, folder);
    },
    texts: textsForEncoders,
    sides: {
      "by hand": { model: "ensemble_model", inputs: ["TEXT"], shape: [1] },
      Tritype: { model: "embed", inputs: ["text"], shape: [1, 1] },
    },
  },
  sentiment: {
    files: classifier,
    buildOurs: (folder) => buildExample("sentiment-tensorrt", folder),
    profile: "cpu",
    texts: textsForClassifiers,
    sides: {
      "by hand": { model: "sentiment_analysis", inputs: ["QUERY"], shape: [1, 1] },
      Tritype: { model: "sentiment", inputs: ["text"], shape: [1, 1] },
    },
  },
  roberta: {
    files: classifier,
    buildOurs: (folder) => buildExample("roberta-sentiment-torchscript", folder),
    profile: "cpu",
    texts: textsForClassifiers,
    sides: {
      "by hand": { model: "sentiment_ensemble", inputs: ["TEXT"], shape: [1, 1] },
      Tritype: { model: "sentiment", inputs: ["text"], shape: [1, 1] },
    },
  },
  m2m100: {
    files: translation,
    buildOurs: (folder) => buildExample("m2m100-translation", folder),
    texts: textsForTranslation,
    sides: {
      "by hand": {
        model: "m2m100_ensemble",
        inputs: ["TEXT", "SOURCE_LANGUAGE", "TARGET_LANGUAGE"],
        shape: [1, 1],
      },
      Tritype: { model: "translate", inputs: ["text", "source_language", "target_language"], shape: [1, 1] },
    },
  },
};

const measure = async (twin, { runs, load, installation, url }) => {
  const { sides, texts, profile } = systems[twin];
  const samples = new Map();
  for (let round = 0; round < runs; round++)
    // The order is reversed in every second round, so that a drift of the machine affects both sides.
    for (const [length, rows] of Object.entries(texts))
      for (const clients of clientCounts)
        for (const [side, call] of round % 2 === 0
          ? Object.entries(sides)
          : Object.entries(sides).toReversed()) {
          const message = { protocol: "http", target: url, bodies: bodiesOf(call, rows), clients };
          await load({ ...message, seconds: 0.25 });
          const name = `${length} texts, ${clients} ${clients === 1 ? "client" : "clients"}, ${side}`;
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
        "processor ms": median(all, "processorMs").toFixed(2),
      },
    })),
    notes: [
      `written: ${hand.files} files, ${hand.lines} lines by hand; ${ours.files} files, ${ours.lines} lines with Tritype`,
      `of by hand: the median of the rounds' own ratios; ${profile === undefined ? "without a profile" : `both sides run in the profile \`${profile}\`, which replaces the model for GPUs with its ONNX file and sets nothing else`}`,
      "processor ms: processor time of the server's processes for one request",
      "times are the median of one request",
      onnxBackendNote(installation),
    ],
  };
};

/** Ratio per round, because other load on the machine affects both sides of a round equally. */
const ofByHand = (ours, hand) => summarize(ours.map(({ rate }, round) => rate / hand[round].rate)).median;

/** One request per row: a text, or one value for each input. */
const bodiesOf = ({ model, inputs, shape, prefix = "" }, rows) =>
  rows.map((row) => {
    const values = [row].flat().map((text) => ({ dtype: "BYTES", shape, data: [encodeUtf8(prefix + text)] }));
    return bodies.http(model, new Map(inputs.map((name, at) => [name, values[at]]))).toString("base64");
  });
