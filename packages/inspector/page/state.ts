import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  decodedName,
  type ModelChange,
  type ModelView,
  type Overview,
  whatChanged,
} from "@tritype/inspector/view";
import { getChanges, getOverview } from "./api.ts";

/** The view, from the page's address: `#/models/<name>/graph`, `#/models/<name>/graph/<line>`, `#/live`. */
export type View = "graph" | "try" | "live";
export interface Route {
  readonly view: View;
  readonly model: string | undefined;
  /** The line to show in the model's config.pbtxt; 0 shows the whole file. */
  readonly line?: number;
}

export const overview: Signal<Overview | undefined> = signal(undefined);
/** The reason why the server does not answer. */
export const lost: Signal<string | undefined> = signal(undefined);
export const failure: Signal<string | undefined> = signal(undefined);
export const route: Signal<Route> = signal({ view: "graph", model: undefined });
/** The state that the page showed before the last change, until the user dismisses the comparison. */
export const earlier: Signal<Overview | undefined> = signal(undefined);
/** Number of changes since the page was opened. */
export const generation: Signal<number> = signal(0);

export const models: ReadonlySignal<ReadonlyMap<string, ModelView>> = computed(
  () => new Map((overview.value?.models ?? []).map((model) => [model.name, model])),
);
export const changes: ReadonlySignal<readonly ModelChange[]> = computed(() =>
  earlier.value === undefined || overview.value === undefined
    ? []
    : whatChanged(earlier.value, overview.value),
);
export const shownModel: ReadonlySignal<ModelView | undefined> = computed(() => {
  const { model } = route.value;
  if (model !== undefined) return models.value.get(model);
  const all = overview.value?.models ?? [];
  return (
    all.find(({ entry, steps }) => entry && steps !== undefined) ?? all.find(({ entry }) => entry) ?? all[0]
  );
});

const kept = new Map<string, Signal<unknown>>();

/** State that lasts until the page is closed. */
export const keptSignal = <T>(key: string, start: T): Signal<T> => {
  const known = kept.get(key) ?? signal<unknown>(start);
  kept.set(key, known);
  return known as Signal<T>;
};

export const addressOf = (view: View, model: string | undefined, line?: number): string =>
  view === "live"
    ? "#/live"
    : `#/models/${encodeURIComponent(model ?? "")}/${view}${line === undefined ? "" : `/${line}`}`;

const readRoute = (): void => {
  const [, kind, name, view, line] = location.hash.split("/");
  route.value =
    kind === "live"
      ? { view: "live", model: undefined }
      : {
          view: view === "try" ? "try" : "graph",
          model: name ? decodedName(name) : undefined,
          ...(line === undefined ? {} : { line: Number(line) }),
        };
};

const pause = 1000;
/** Models of one build load one after the other: changes within this time count as one. */
const settlingMs = 5000;

/** Follows the address and the server. */
export const start = (): void => {
  readRoute();
  addEventListener("hashchange", readRoute);
  void follow();
};

const follow = async (): Promise<void> => {
  for (;;) {
    if (!document.hidden) await look();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

let stamp = "";
let changedAt = -Infinity;

/** Reads what has changed on the server. */
export const look = async (): Promise<void> => {
  try {
    const now = await getChanges();
    if (failure.value !== now.failure) failure.value = now.failure;
    if (now.stamp !== stamp) {
      show(await getOverview());
      stamp = now.stamp;
    }
    lost.value = undefined;
  } catch (error) {
    lost.value = error instanceof Error ? error.message : String(error);
  }
};

const show = (next: Overview): void => {
  const before = overview.value;
  if (before !== undefined && whatChanged(before, next).length > 0) {
    const now = performance.now();
    if (earlier.value === undefined || now - changedAt > settlingMs) earlier.value = before;
    changedAt = now;
    generation.value++;
  }
  overview.value = next;
};
