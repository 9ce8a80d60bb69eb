type Encode<T> = (texts: readonly string[]) => Promise<readonly T[]>;

interface Call<T> {
  readonly texts: readonly string[];
  readonly resolve: (encoded: readonly T[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits on the characters of a text and the rows of a request, so that others do not have to wait for them. */
const longText = 4096;
const manyRows = 32;

/**
 * Short texts of requests that arrive in the same turn of the event loop go through `encode` together: each call wakes
 * a thread, which costs more than tokenizing a short text. If `encode` rejects, each request runs alone, so that none
 * fails because of another's text.
 */
export const gatherCalls = <T>(encode: Encode<T>): Encode<T> => {
  let waiting: Call<T>[] = [];

  const runAlone = ({ texts, resolve, reject }: Call<T>): void => void encode(texts).then(resolve, reject);

  const runTogether = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    const [only] = calls;
    if (only !== undefined && calls.length === 1) {
      runAlone(only);
      return;
    }
    try {
      const encoded = await encode(calls.flatMap(({ texts }) => texts));
      let at = 0;
      for (const { texts, resolve } of calls) resolve(encoded.slice(at, (at += texts.length)));
    } catch {
      calls.forEach(runAlone);
    }
  };

  return (texts) => {
    if (texts.length >= manyRows || texts.some(({ length }) => length >= longText)) return encode(texts);
    return new Promise((resolve, reject) => {
      waiting.push({ texts, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void runTogether());
    });
  };
};
