import { join } from "node:path";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { commands } from "@tritype/cli";
import { expect, onTestFinished, test } from "vitest";
import { pipeline, startPipeline } from "./run-pipeline.ts";

const anywhere = { root: tmpdir() };
const { version } = JSON.parse(
  readFileSync(new URL("../../packages/tritype/package.json", import.meta.url), "utf8"),
) as { readonly version: string };

test.each([["--version"], ["-v"]])("%s prints the version and nothing else", async (option) => {
  expect(await pipeline(anywhere, [option])).toEqual({
    code: 0,
    signal: null,
    out: `${version}\n`,
    err: "",
  });
});

test.each([["--help"], ["-h"], ["help"]])("%s lists every command on stdout", async (option) => {
  const { code, out, err } = await pipeline(anywhere, [option]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(commands.filter(({ name }) => !out.includes(`\n  ${name} `))).toEqual([]);
});

test("without a command, only help is shown", async () => {
  const { code, out } = await pipeline(anywhere, []);
  expect(code).toBe(2);
  expect(out).toContain("Usage: pipeline <command> [options]");
});

test.each(commands)("$name --help shows the command's usage and does not run it", async ({ name }) => {
  const { code, out, err } = await pipeline(anywhere, [...name.split(" "), "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.startsWith(`Usage: pipeline ${name}`)).toBe(true);
});

test.each([
  [["buid"], "there is no command `pipeline buid`", "did you mean `pipeline build`?"],
  [["publish"], "there is no command `pipeline publish`", "`build`, `deploy`, `dev`, `run`"],
  [["triton"], "`pipeline triton` needs a second word", "use `triton install`, `triton serve`"],
  [
    ["triton", "instal"],
    "there is no command `pipeline triton instal`",
    "did you mean `pipeline triton install`?",
  ],
  [["build", "--chek"], "`pipeline build` has no option --chek", "did you mean --check?"],
  [
    ["dev", "--http-address=0.0.0.0"],
    "`pipeline dev` has no option --http-address",
    "use --host, for all three ports",
  ],
  [["build", "--frob"], "`pipeline build` has no option --frob", "see `pipeline build --help`"],
  [["build", "models"], "`pipeline build` does not accept `models`", "see `pipeline build --help`"],
  [["build", "--", "--help"], "`pipeline build` does not accept `--help`", "see `pipeline build --help`"],
  [["dev", "a", "b"], "`pipeline dev` does not accept `b`", "see `pipeline dev --help`"],
  [["run", "-i"], "--input needs a value", "write --input <name=value>"],
  [
    ["dev", "--http-port", "--python"],
    "--http-port needs a value, but --python follows",
    "write --http-port <port>, or --http-port=--python if that is the value",
  ],
  [["dev", "--python=yes"], "--python is yes", "it takes no value: write --python"],
  [["build", "--project="], "--project is empty", "write --project <folder>, or leave it out"],
  [
    ["run", "-5 degrees"],
    "`pipeline run` has no option -5",
    "before a text that begins with a dash, write --",
  ],
  [["dev", "--http-port", "eighty"], "--http-port is eighty", "use a whole number from 0 to 65535"],
  [["dev", "--http-port", "70000"], "--http-port is 70000", "use a whole number from 0 to 65535"],
  [["dev", "--device", "gpu"], "--device is gpu", "use one of cpu, cuda, auto"],
  [["verify", "--tolerance", "small"], "--tolerance is small", "use a number"],
  [["types"], "`pipeline types` needs an ONNX file", "pipeline types model.onnx"],
  [["build"], "has no pipeline.config.ts and no pipeline.ts", "name the folder with --project"],
  [["add", "hf:a/b"], "no pipeline.ts", "; `pipeline init` creates a project here"],
  [["build", "--project", "nowhere"], "--project: the folder nowhere does not exist", "check the path"],
])("%j cannot run: %s", async (args, message, help) => {
  const { code, out, err } = await pipeline(anywhere, args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error\[(?:usage\/invalid|project\/not-found|file\/not-found)\]: /);
  expect(err).toContain(message);
  expect(err).toContain(help);
  expect(err).not.toContain("    at ");
});

test("in a subfolder of a project without pipeline.config.ts, the message names the project's folder", async () => {
  const root = mkdtempSync(join(tmpdir(), "project-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "pipeline.ts"), "");
  mkdirSync(join(root, "models", "encoder"), { recursive: true });
  const { code, err } = await pipeline({ root: join(root, "models", "encoder") }, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain(`has no pipeline.config.ts and no pipeline.ts; ${root} has a pipeline.ts`);
  expect(err).toContain(`run the command in ${root}, or name the folder with --project`);
});

test("output to a closed pipe is not an error", async () => {
  const running = startPipeline(anywhere, ["--help"]);
  running.child.stdout?.destroy();
  expect(await running.ended).toMatchObject({ code: 0, err: "" });
});
