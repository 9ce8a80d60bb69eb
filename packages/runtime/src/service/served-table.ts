import { type ModelTable, type ReadyVersion, versionsOf } from "./model-table.ts";
import type { SharedParts } from "./load-model.ts";
import { createRetirement } from "./retirement.ts";

/** The served models. */
export interface ServedTable {
  readonly shared: SharedParts;
  /** The current table; never modified, only replaced. */
  current(): ModelTable;
  /** Versions of these models are being loaded, until `replace` gets the result. */
  startLoading(models: readonly { readonly name: string; readonly versions: readonly string[] }[]): void;
  /** Model → versions that are being loaded. */
  loading(): ReadonlyMap<string, readonly string[]>;
  /**
   * Requests go to `next` immediately. Versions in `made` or in the previous table that are not in `next` end with
   * their last request.
   */
  replace(next: ModelTable, made: ModelTable): void;
  /** Versions that are no longer served but are still running. */
  ending(): readonly ReadyVersion[];
  /** The served versions, if the table was not closed, and those that are ending; each is listed once. */
  running(): readonly ReadyVersion[];
  /** Stops every model, including running ones, whose requests fail. The models are still retired. */
  stop(): Promise<void>;
  /** Retires everything; resolves when it has ended. */
  close(): Promise<void>;
}

export const createServedTable = (notice: (text: string) => void, shared: SharedParts = {}): ServedTable => {
  let table: ModelTable = new Map();
  let closed = false;
  const loading = new Map<string, readonly string[]>();
  const retirement = createRetirement(notice);
  return {
    shared,
    current: () => table,
    startLoading: (models) => {
      for (const { name, versions } of models) loading.set(name, versions);
    },
    loading: () => loading,
    replace: (next, made) => {
      const kept = new Set(versionsOf(next));
      const old = [...versionsOf(table), ...versionsOf(made)];
      for (const name of made.keys()) loading.delete(name);
      if (shared.cache === undefined)
        for (const { name } of next.values())
          if (startsCaching(table, next, name)) notice(withoutCache(name));
      table = next;
      retirement.retire(old.filter((version) => !kept.has(version)));
    },
    ending: () => retirement.ending(),
    running: () => [...(closed ? [] : versionsOf(table)), ...retirement.ending()],
    stop: async () => {
      const versions = [...versionsOf(table), ...retirement.ending()];
      await Promise.all(versions.map(({ loaded }) => loaded.close()));
    },
    close: () => {
      closed = true;
      retirement.retire(versionsOf(table));
      return retirement.ended();
    },
  };
};

const caches = (table: ModelTable, name: string): boolean =>
  table.get(name)?.ready.some(({ config }) => config.response_cache?.enable === true) === true;

const startsCaching = (table: ModelTable, next: ModelTable, name: string): boolean =>
  caches(next, name) && !caches(table, name);

const withoutCache = (model: string): string =>
  `model '${model}' has response_cache { enable: true }, but this server has no response cache: every request runs; --cache-config local,size=<bytes> adds one, as in Triton`;
