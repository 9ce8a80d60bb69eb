import { hubSettings, isHubSource, openHub, parseHubSource, printHubSource } from "@tritype/hub";
import { lockName, readLock } from "@tritype/project";
import { addModel, givenModelName } from "../add/add-model.ts";
import { createDownloadMeter } from "../add/download-meter.ts";
import { hubModelSource } from "../add/hub-model-source.ts";
import { localModelSource } from "../add/local-model-source.ts";
import { restoreModels } from "../add/restore-models.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { projectOf } from "../project/project-of.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline add [hf:owner/name, folder or model.onnx]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const [named] = given.positionals;
  const name = givenModelName(given);
  const { root } = projectOf(given, terminal);
  const meter = createDownloadMeter(terminal);
  const hub = () => openHub({ settings: hubSettings(terminal.env), notice: terminal.note });
  const options = { root, force: given.flag("force"), dryRun: given.flag("dry-run") };
  if (named === undefined) {
    const picks = ["file", "name", "revision"].find((option) => given.text(option) !== undefined);
    if (picks !== undefined)
      throw usage(`--${picks} needs a model`, `pipeline add hf:owner/name --${picks} …`);
    const lock = readLock(root);
    if (Object.keys(lock).length === 0)
      throw usage(
        `which model? There is no ${lockName} to read models from`,
        "pipeline add hf:owner/name, a folder, or model.onnx",
      );
    await restoreModels(root, lock, hub, meter, options, terminal);
    return 0;
  }
  const revision = given.text("revision");
  const source = isHubSource(named)
    ? await hubModelSource(hub(), withRevision(named, revision), meter)
    : localSource(named, revision, terminal.cwd, root);
  await addModel(source, { ...options, file: given.text("file"), name }, terminal);
  return 0;
};

const withRevision = (named: string, revision: string | undefined): ReturnType<typeof parseHubSource> => {
  const source = parseHubSource(named);
  if (revision === undefined) return source;
  if (source.revision !== undefined && source.revision !== revision)
    throw usage(`${named} and --revision name different revisions`, "remove one of them");
  return parseHubSource(printHubSource({ ...source, revision }));
};

const localSource = (
  named: string,
  revision: string | undefined,
  cwd: string,
  root: string,
): ReturnType<typeof localModelSource> => {
  const page = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+)(?:\/(?:tree|blob|resolve)\/([\w.-]+))?/.exec(named);
  if (page !== null)
    throw usage(
      `${named} is a web page`,
      `for a repository of the Hugging Face Hub, write hf:${page[1]}${page[2] === undefined ? "" : `@${page[2]}`}`,
    );
  if (revision !== undefined)
    throw usage(
      `--revision is ${revision}, but ${named} is not a repository of the hub`,
      `leave it out, or write hf:${named}`,
    );
  return localModelSource(named, cwd, root);
};
