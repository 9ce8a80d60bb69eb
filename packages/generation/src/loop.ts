import { type Decoder, rowOf, type Scores } from "./generate.ts";
import { NothingFollows } from "./refuse-nothing.ts";
import type { Search } from "./search.ts";
import type { SingleSearch } from "./single-search.ts";

/** A decoder that other decoders can join. */
export interface JoiningDecoder extends Decoder {
  /**
   * Only decoders at the same position can join, because a model without a mask for its cache mistakes padding for
   * tokens.
   */
  place(): number;
  /** Keeps these rows; cache positions that are padding in all of them are removed. */
  select(rows: readonly number[]): void;
  /** A decoder that continues this row. */
  pick(row: number): JoiningDecoder;
  /** Adds the rows of another decoder after its own. */
  join(other: JoiningDecoder): void;
}

/** A row of a loop: its search, and the receiver of its tokens. */
export interface LoopRow {
  readonly search: SingleSearch;
  add(token: number, isLast: boolean): void;
  /** Ends it. */
  fail(error: unknown): void;
  isWanted(): boolean;
}

/** Continuous batching: rows join and leave between two steps of the model. */
export interface Loop {
  add(row: LoopRow): void;
  /** Ends the loop after its current step; unfinished rows fail. */
  close(): Promise<void>;
}

export interface LoopOptions {
  readonly openDecoder: () => JoiningDecoder;
  /** Whether rows of different lengths may start together: false if the model treats padding as tokens. */
  readonly padded: boolean;
  /** Lets messages arrive between two steps. */
  readonly pause: () => Promise<void>;
}

/** Does the same as `Loop` in `python/loop.py`. */
export const openLoop = ({ openDecoder, padded, pause }: LoopOptions): Loop => {
  let arrived: LoopRow[] = [];
  /** Rows in their first step. */
  let starting: readonly LoopRow[] = [];
  let batches: readonly Batch[] = [];
  let wake: (() => void) | undefined;
  const state = { isClosing: false };

  const step = async (): Promise<void> => {
    const stepped: Batch[] = [];
    for (const batch of batches) stepped.push(...(await stepBatch(batch)));
    starting = arrived.filter((row) => row.isWanted());
    arrived = [];
    for (const rows of startingTogether(starting, padded)) stepped.push(...(await start(openDecoder, rows)));
    batches = joined(stepped);
    starting = [];
  };
  /** Fails the rows of a step. */
  const failAll = (error: unknown): void => {
    const unstarted = starting.filter((row) => row.isWanted());
    for (const row of [...unstarted, ...batches.flatMap(({ rows }) => rows)]) row.fail(error);
    starting = [];
    batches = [];
  };
  const run = async (): Promise<void> => {
    while (!state.isClosing) {
      if (batches.length === 0 && arrived.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else await step().catch(failAll); // if memory runs out, for example, only these rows fail
      await pause();
    }
    starting = arrived;
    failAll(new Error("the model is being unloaded"));
  };
  const ended = run();
  const awake = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    add: (row) => {
      arrived.push(row);
      awake();
    },
    close: () => {
      state.isClosing = true;
      awake();
      return ended;
    },
  };
};

/** Rows that run together, in the decoder's order. */
interface Batch {
  readonly decoder: JoiningDecoder;
  rows: readonly LoopRow[];
  /** The tokens from which the rows continue. */
  tokens: readonly number[];
}

/**
 * Rows that run together: all of them, or only those with the same length if the model would treat padding as tokens.
 */
export const startingTogether = <Row extends { readonly search: Pick<Search, "prompt"> }>(
  rows: readonly Row[],
  padded: boolean,
): readonly (readonly Row[])[] => {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const key = padded ? 0 : row.search.prompt.length;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
};

/** The first step for some rows; if it fails, each row starts separately, so that no row fails because of another. */
const start = async (
  openDecoder: () => JoiningDecoder,
  rows: readonly LoopRow[],
): Promise<readonly Batch[]> => {
  const batch: Batch = { decoder: openDecoder(), rows, tokens: [] };
  const scores = await scoresOf(batch, () => batch.decoder.start(rows.map(({ search }) => search.prompt)));
  if (scores === undefined) {
    const alone: Batch[] = [];
    if (rows.length > 1) for (const row of rows) alone.push(...(await start(openDecoder, [row])));
    return alone;
  }
  take(batch, scores);
  return [batch];
};

/**
 * Generates one more token for each row. Returns the batches of these rows; there are several if the step fails for
 * some of them.
 */
const stepBatch = async (batch: Batch): Promise<readonly Batch[]> => {
  keep(
    batch,
    batch.rows.flatMap((row, place) => (row.isWanted() ? [place] : [])),
  );
  const { decoder, rows, tokens } = batch;
  if (rows.length === 0) return [];
  const scores = await scoresOf(batch, () => decoder.advance([...rows.keys()], tokens));
  if (scores === undefined) {
    const alone: Batch[] = [];
    if (rows.length > 1)
      for (const [place, row] of rows.entries())
        alone.push(
          ...(await stepBatch({ decoder: decoder.pick(place), rows: [row], tokens: [tokens[place] ?? 0] })),
        );
    return alone;
  }
  take(batch, scores);
  return [batch];
};

/** Undefined if the step failed; if it had only one row, that row fails too. */
const scoresOf = async ({ rows }: Batch, run: () => Promise<Scores>): Promise<Scores | undefined> => {
  try {
    return await run();
  } catch (error) {
    const [only] = rows;
    if (rows.length === 1) only?.fail(error);
    return undefined;
  }
};

/** The next token of each row; rows that end leave. */
const take = (batch: Batch, scores: Scores): void => {
  const going: number[] = [];
  batch.tokens = batch.rows.map((row, place) => {
    try {
      const continues = row.search.advance([rowOf(scores, place)]).length > 0;
      row.add(row.search.last(), !continues);
      if (continues) going.push(place);
    } catch (error) {
      if (!(error instanceof NothingFollows)) throw error;
      row.fail(error);
    }
    return row.search.last();
  });
  keep(batch, going);
};

const keep = (batch: Batch, places: readonly number[]): void => {
  if (places.length === batch.rows.length) return;
  batch.decoder.select(places);
  batch.rows = places.flatMap((place) => batch.rows[place] ?? []);
  batch.tokens = places.map((place) => batch.tokens[place] ?? 0);
};

/** Batches at the same position are merged. */
const joined = (batches: readonly Batch[]): readonly Batch[] => {
  const merged = new Map<number, Batch>();
  for (const batch of batches) {
    if (batch.rows.length === 0) continue;
    const place = batch.decoder.place();
    const first = merged.get(place);
    if (first === undefined) {
      merged.set(place, batch);
      continue;
    }
    first.decoder.join(batch.decoder);
    first.rows = [...first.rows, ...batch.rows];
    first.tokens = [...first.tokens, ...batch.tokens];
  }
  return [...merged.values()];
};
