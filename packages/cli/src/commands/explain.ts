import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt } from "@tritype/core";
import { lookForProject, projectSettings, readConfig, readManifest } from "@tritype/project";
import { sourceReader } from "@tritype/project/diagnostics";
import { type ExitCode, type Given, usage } from "../command.ts";
import { explainCode, listGroups, looksLikeCode, readCodeIndex } from "../explain/explain-code.ts";
import { explainText, type ExplainedText, renderExplained, renderUnknown } from "../explain/explain-lines.ts";
import type { NearRepository } from "../explain/repository-facts.ts";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline explain [code, group, or line of a log]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const { positionals } = given;
  const json = given.flag("json");
  const fromInput = positionals.length === 1 && positionals[0] === "-";
  if (fromInput || (positionals.length === 0 && terminal.inputIsPiped())) {
    const text = await terminal.readInput();
    if (text.trim() !== "" || fromInput) return await explain(text, given, terminal);
  }
  const index = readCodeIndex();
  const unquoted = positionals.length > 1 && !positionals.some((word) => word.includes("/"));
  const words = unquoted ? [undefined] : positionals.map(codeIn);
  if (words.length === 0) listGroups(index, terminal, json);
  else if (words.every((word) => word !== undefined)) {
    for (const [i, word] of words.entries()) {
      if (i > 0) terminal.out("");
      explainCode(word, index, terminal, json);
    }
  } else return await explain(positionals.join(" "), given, terminal);
  return 0;
};

/** A code such as `shape/rank-mismatch`, also extracted from `error[shape/rank-mismatch]: …`. */
const codeIn = (word: string): string | undefined => {
  const quoted = /^(?:error|warning)\[([a-z-]+\/[a-z0-9-]+)\]/.exec(word.trim())?.[1];
  return quoted ?? (looksLikeCode(word) ? word : undefined);
};

const explain = async (text: string, given: Given, terminal: Terminal): Promise<ExitCode> => {
  if (text.trim() === "")
    throw usage("there is nothing to explain", "give a code or a log line, in quotes or on stdin with `-`");
  const near = await repositoryNear(given, terminal);
  const found = explainText(text, near?.repository);
  if (given.flag("json")) terminal.out(printJson(found));
  else print(found, text, near?.root ?? terminal.cwd, terminal);
  return found.unknown.length > 0 || found.explained.length === 0 ? 1 : 0;
};

const print = (
  { explained, unknown }: ExplainedText,
  text: string,
  root: string,
  terminal: Terminal,
): void => {
  const colors = terminal.outColors;
  const numbered = text.trim().includes("\n");
  const blocks = [
    ...explained.map((one) => renderExplained(one, { numbered, colors, readSource: sourceReader(root) })),
    ...unknown.map((one) => renderUnknown(one, colors)),
  ];
  if (blocks.length > 0) terminal.out(blocks.join("\n\n"));
  if (blocks.length === 0) terminal.note("it contains no error");
};

const printJson = ({ explained, unknown }: ExplainedText): string =>
  JSON.stringify(
    {
      explanations: explained.map(({ lines, text, explanation, facts }) => ({
        lines,
        text,
        ...explanation,
        defined: facts.labels.map(({ span }) => span),
        notes: facts.notes,
      })),
      unknown,
    },
    undefined,
    2,
  );

interface Near {
  readonly root: string;
  readonly repository: NearRepository;
}

/** The repository in `--repository`, otherwise the last build of the current project. */
const repositoryNear = async (given: Given, terminal: Terminal): Promise<Near | undefined> => {
  const named = given.text("repository");
  if (named !== undefined) return near(terminal, terminal.cwd, resolve(terminal.cwd, named));
  const project = lookForProject(terminal.cwd);
  if (project === undefined) return undefined;
  // A project that does not load may have been built before, most likely to the default folder.
  const output = await readConfig(project.root, project.configFile)
    .then((config) => projectSettings(project, config).output)
    .catch(() => join(project.root, "build"));
  const folder = join(output, "model_repository");
  return existsSync(folder) ? near(terminal, project.root, folder) : undefined;
};

const near = (terminal: Terminal, root: string, folder: string): Near => ({
  root,
  repository: {
    folder,
    shown: shownPath(terminal.cwd, folder),
    manifest: attempt(() => readManifest(join(folder, ".."))),
  },
});
