import { setTimeout as sleep } from "node:timers/promises";
import { downloadFile } from "./download-file.ts";
import { cachedRepository, rememberRevision } from "./hub-cache.ts";
import { createHubFetch, type HubFetch, type Patience, type Timer, wholeAnswers } from "./hub-fetch.ts";
import type { HubSettings } from "./hub-settings.ts";
import type { HubSource } from "./hub-source.ts";
import { readRepository } from "./read-repository.ts";
import type { HubFile, HubRepository } from "./repository.ts";
import { hubError } from "./errors.ts";

export interface HubOptions {
  readonly settings: HubSettings;
  /** Shows the user a line that says what is being waited for or retried. */
  readonly notice: (line: string) => void;
  /** Resolves after this many milliseconds; default: a timer. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Measures how long the server is silent; default: a timer. */
  readonly timer?: Timer;
}

/** The Hugging Face Hub, or a mirror of it, with its cache. */
export interface Hub {
  /** The current content of a repository. @throws PipelineError `hub/*` */
  readonly readRepository: (source: HubSource) => Promise<HubRepository>;
  /**
   * The cache path of a file at a commit; the file is downloaded if it is missing.
   * @throws PipelineError `hub/*`, `file/not-writable`
   */
  readonly download: (
    repository: { readonly name: string; readonly commit: string },
    file: HubFile,
    progress?: (done: number) => void,
  ) => Promise<string>;
}

const machineTimer: Timer = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export const openHub = ({
  settings,
  notice,
  wait = (ms) => sleep(ms),
  timer = machineTimer,
}: HubOptions): Hub => {
  const { endpoint, cache, offline, idleMs } = settings;
  const patience: Patience = { notice, wait, timer };
  const asking = (name: string, revision: string): HubFetch =>
    createHubFetch(settings, { name, revision }, patience);
  return {
    async readRepository({ repository: name, revision = "main" }) {
      if (offline) throw hubError("hub/offline-list", { name });
      const fetch = wholeAnswers(asking(name, revision), settings, patience);
      const found = await readRepository(endpoint, name, revision, fetch);
      await rememberRevision(cachedRepository(cache, name), revision, found.commit);
      return found;
    },
    download: ({ name, commit }, file, progress = () => undefined) =>
      downloadFile(file, {
        endpoint,
        repository: name,
        commit,
        cached: cachedRepository(cache, name),
        fetch: asking(name, commit),
        offline,
        idleMs,
        progress,
        ...patience,
      }),
  };
};
