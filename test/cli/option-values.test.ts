import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "@tritype/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ended, pipeline } from "./run-pipeline.ts";

/** A wrong value, and the part of it that the message shows if that is not all of it. */
type Wrong = string | readonly [value: string, shown: string];

/**
 * Wrong values for each kind of option, by the placeholder in the help. Empty: any text is accepted, or the
 * value can only be checked with a project.
 */
const wrongValues: Readonly<Record<string, readonly Wrong[]>> = {
  "[mode,]setting=value": ["x", "mode=zipkin", "rate=often", "jaeger,url=x", "triton,rotate=1", "level=ALL"],
  address: [],
  bytes: ["0", "big", "1.5", "-1"],
  command: [],
  count: ["-1", "many", "65"],
  "cpu|cuda|auto": ["gpu", "CPU"],
  duration: ["100", "0ms", "soon", "99999999s"],
  false: ["maybe", "true"],
  file: ["none.jsonl", "folder"],
  "file.html": ["folder", "none/a.html", "file.txt/a.html"],
  "file.json": ["folder", "none/a.json"],
  "file.jsonl": ["folder", "none.jsonl"],
  "file.ts": [],
  folder: ["none", "file.txt", "file.txt/none"],
  "fp16|int8": ["int4"],
  "host:port": ["localhost", "http://localhost:8001", "localhost:0", "localhost:99999999"],
  "http|grpc": ["smtp"],
  level: ["ALL"],
  "level|true|false": ["loud", "-1", "1.5"],
  "local,size=bytes": ["redis", "local", "local,size=0", "local,size=big"],
  model: [],
  "model=file.onnx": ["encoder", "encoder=", ["encoder=none.onnx", "encoder: the file none.onnx"]],
  ms: ["0", "fast", "1.5"],
  n: ["x", "1.5", "99999999999999"],
  "n,n…": ["0", "x", "1,,2", ["1,x", "x"], ["1,20000", "20000"]],
  "n/s": ["abc", "0", "-5", "1000001"],
  "n/s,n/s…": ["fast", "0", "5,,6"],
  name: [],
  // The values of headers are secrets.
  "name: value": [
    ["x", ""],
    ["Host: a", ""],
    ["X-Key: ${NO_SUCH_VARIABLE}", ""],
  ],
  "name:count[:device]": ["R", "R:x", "R:1:2:3"],
  "name=value": ["text", "=x"],
  "names:key=value": ["x", "health:k", ["foo:k=v", "foo"]],
  "none|poll|explicit": ["maybe"],
  number: ["x", "-1", "Infinity", "none"],
  "off|execution_count": ["on"],
  origin: ["localhost", "ftp://localhost"],
  "output.name=number": ["x", "cosine", "embedding.cosin=1", "cosine=x", "cosine=2"],
  "p99<200ms": ["200ms", "p99<0ms", "throughput"],
  path: [],
  port: ["abc", "99999999", "-1", "1.5", "0x50"],
  regex: ["(", "(?=x)"],
  release: ["99.99", "latest"],
  revision: [],
  rows: ["0", "x", "-1"],
  s: ["x", "-1", "1000000"],
  seconds: ["x", "-1", "99999999", "1.5"],
  "setting=value": ["foo", "foo=bar", "summary_latencies=yes", ["summary_quantiles=2", "2"]],
  "throughput|latency|limit": ["speed", "p99<0ms", "p99<50"],
  "true|false": ["maybe"],
  url: ["::", "ftp://localhost"],
};

/** Instead of those of the placeholder. */
const ownWrongValues: Readonly<Record<string, readonly Wrong[]>> = {
  "dev allowed-host": ["a:80", "http://a"],
  "inspect allowed-host": ["a:80", "http://a"],
  "tune name": ["a b", "../a", "-a"],
  "add name": ["a b", "../a", "a."],
  "types name": ["1a", "class", "a-b"],
  // Triton accepts -1, which means no limit.
  "dev trace-count": ["x", "1.5", "-2"],
  // It is created.
  "drift out": ["file.txt", "file.txt/a"],
};

const server = "http://127.0.0.1:1";
/** Arguments without which a command does not read its options. */
const neededArguments: Readonly<Record<string, readonly string[]>> = {
  add: ["hf:owner/name"],
  bench: ["embed"],
  check: ["folder"],
  drift: [server, server],
  inspect: ["--url", server],
  plan: ["--rate", "5", "--p99", "100ms"],
  run: ["embed"],
  smoke: ["--url", server],
  tune: ["--target", "latency"],
  types: ["model.onnx"],
};

/** No project, so every value must be checked before a project is looked for. */
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tritype-options-"));
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "file.txt"), "a text");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = async (command: string, ...args: readonly string[]): Promise<Ended> => {
  const start = performance.now();
  const ended = await pipeline({ root }, [...command.split(" "), ...args]);
  expect(performance.now() - start, "milliseconds").toBeLessThan(5000);
  expect(ended).toMatchObject({ code: expect.toBeOneOf([1, 2]), out: "" });
  expect(ended.err).toMatch(/^error\[[\w/-]+\]: .*\n(?:.*\n)* {2}= help: \S.*\n$/);
  expect(ended.err).not.toMatch(/^ {4}at /m);
  return ended;
};

const options = commands.flatMap(({ name: command, options: specs }) =>
  Object.entries(specs).map(([name, spec]) => ({ command, name, spec })),
);
const withValue = options.flatMap(({ command, name, spec: { value, needs } }) =>
  value === undefined ? [] : [{ command, name, value, needs: needs?.[0] }],
);

test("the table has exactly the kinds of values that options take", () => {
  expect(Object.keys(wrongValues).toSorted()).toEqual(
    [...new Set(withValue.map(({ value }) => value))].toSorted(),
  );
});

test.each(
  withValue.flatMap(({ command, name, value, needs }) =>
    (ownWrongValues[`${command} ${name}`] ?? wrongValues[value] ?? []).map((wrong) => {
      const [written, shown] = typeof wrong === "string" ? [wrong, wrong] : wrong;
      return { command, name, written, shown, needs };
    }),
  ),
)("$command --$name=$written: the message names both", async ({ command, name, written, shown, needs }) => {
  const other = needs === undefined ? [] : [`--${needs}=${server}`];
  const { err } = await run(command, ...(neededArguments[command] ?? []), ...other, `--${name}=${written}`);
  expect(err).toContain(`--${name}`);
  expect(err).toContain(shown);
});

test.each(options)("$command --$name: a wrong spelling, and a missing or unwanted value", async (option) => {
  const { command, name, spec } = option;
  const misspelt = await run(command, `--${name}${name.at(-1)}`);
  expect(misspelt.err).toContain(`has no option --${name}${name.at(-1)}\n`);
  expect(misspelt.err).toContain(`did you mean --${name}?`);
  if (spec.value === undefined) {
    expect((await run(command, `--${name}=yes`)).err).toContain(`--${name} is yes\n`);
    return;
  }
  const form = `write --${name} <${spec.value}>`;
  for (const [args, problem] of [
    [[`--${name}`], `--${name} needs a value\n`],
    [[`--${name}`, "--project"], `--${name} needs a value, but --project follows\n`],
    [[`--${name}=`], `--${name} is empty\n`],
  ] as const) {
    const { err } = await run(command, ...args);
    expect(err).toContain(problem);
    expect(err).toContain(form);
  }
});
