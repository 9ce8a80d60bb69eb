import { messageOf } from "@tritype/core";
import type { ReadyVersion } from "./model-table.ts";

/** Ends versions that are no longer served. */
export interface Retirement {
  /**
   * Ensembles end before the models they use. Each version waits for its running requests; callers do not have to wait
   * for it.
   */
  retire(versions: readonly ReadyVersion[]): void;
  /** Retired versions that have not ended yet. */
  ending(): readonly ReadyVersion[];
  /** Resolves when every retired version has ended. */
  ended(): Promise<void>;
}

export const createRetirement = (notice: (text: string) => void): Retirement => {
  const ending = new Map<ReadyVersion, Promise<void>>();
  /** `ending` already contains the ensembles of this retirement, and those of earlier retirements that are still running. */
  const end = async (version: ReadyVersion): Promise<void> => {
    const users = [...ending].filter(([user]) => user.members.includes(version));
    await Promise.all(users.map(([, ended]) => ended));
    try {
      await version.scheduler.close();
      await version.streams.none();
      await version.loaded.close();
    } catch (error) {
      const text = messageOf(error);
      notice(`model '${version.model}' version ${version.version} failed to unload: ${text}`);
    }
  };
  return {
    retire: (versions) => {
      const open = new Set(versions.filter((version) => !ending.has(version)));
      const visit = (version: ReadyVersion): void => {
        if (!open.delete(version)) return;
        for (const user of versions) if (user.members.includes(version)) visit(user);
        const ended = end(version).then(() => void ending.delete(version));
        ending.set(version, ended);
      };
      for (const version of versions) visit(version);
    },
    ending: () => [...ending.keys()],
    ended: async () => {
      while (ending.size > 0) await Promise.all(ending.values());
    },
  };
};
