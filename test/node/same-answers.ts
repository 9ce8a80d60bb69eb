import { httpClient } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import type { Outcome, ReferenceRow } from "./reference.ts";

/** Rows of one theme that are sent in one request. */
interface Request {
  readonly theme: string;
  readonly rows: readonly ReferenceRow[];
}

/**
 * Successful rows are sent together, and each failing row alone; so are the first successful row of each function, and
 * some mixed requests.
 */
export const requestsOf = (all: readonly ReferenceRow[]): readonly Request[] =>
  byTheme(all).flatMap((rows) => {
    const theme = rows[0]?.theme ?? "";
    const answered = rows.filter(({ outcome }) => "answer" in outcome);
    const failing = rows.filter(({ outcome }) => "error" in outcome);
    const firsts = answered.filter(
      ({ call }, at) => answered.findIndex((other) => other.call.name === call.name) === at,
    );
    return [
      ...inPieces(answered, 50),
      ...[...failing, ...firsts].map((row) => [row]),
      ...inPieces(rows, 10).slice(0, 5),
    ].map((some) => ({ theme, rows: some }));
  });

const byTheme = <T extends { readonly theme: string }>(list: readonly T[]): readonly (readonly T[])[] =>
  [...new Set(list.map(({ theme }) => theme))].map((theme) => list.filter((one) => one.theme === theme));

const inPieces = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

/** The expected answer to a request: its rows' answers, or the error of the first row that fails. */
const expected = ({ theme, rows }: Request): readonly string[] | string => {
  const outcomes = rows.map(({ outcome }) => outcome);
  const first = outcomes.findIndex((outcome) => "error" in outcome);
  const failure: Outcome | undefined = outcomes[first];
  return failure === undefined || "answer" in failure
    ? outcomes.map((outcome) => ("answer" in outcome ? outcome.answer : ""))
    : `${theme}: row ${first}: ${failure.error}`;
};

/** How the answers of a server compare with those of Node. */
export interface Comparison {
  readonly rows: number;
  readonly requests: number;
  readonly errors: number;
  /** Errors on the right line, but with a column further left; see `alike`. */
  readonly columns: number;
  /** Errors of V8 that use the bundle's name for a variable; see `alike`. */
  readonly names: number;
  readonly different: readonly string[];
}

/** Sends the requests to a server with Triton's protocol. */
export const compareAnswers = async (url: string, all: readonly ReferenceRow[]): Promise<Comparison> => {
  const client = httpClient(url, { timeoutMs: 60_000 });
  const requests = requestsOf(all);
  const ask = async ({ theme, rows }: Request): Promise<readonly unknown[] | string> =>
    askModel(
      client,
      theme,
      "call",
      rows.map(({ call }) => JSON.stringify(call)),
    );
  const counts = { errors: 0, columns: 0, names: 0 };
  const different: string[] = [];
  await Promise.all(
    byTheme(requests).map(async (ofTheme) => {
      for (const request of ofTheme) {
        const [wanted, got] = [expected(request), await ask(request)];
        if (typeof wanted === "string") counts.errors++;
        if (JSON.stringify(got) === JSON.stringify(wanted)) continue;
        const likeness = alike(got, wanted);
        if (likeness !== undefined) counts[likeness]++;
        else different.push(shown(request, wanted, got));
      }
    }),
  );
  await client.close();
  return { rows: all.length, requests: requests.length, ...counts, different };
};

/** The answers of a server's model to JSON texts, each alone. */
export const answersOf = async (
  url: string,
  model: string,
  input: string,
  texts: readonly string[],
): Promise<readonly unknown[]> => {
  const client = httpClient(url, { timeoutMs: 60_000 });
  const answers: unknown[] = [];
  for (const text of texts) answers.push(await askModel(client, model, input, [text]));
  await client.close();
  return answers;
};

const askModel = async (
  client: ReturnType<typeof httpClient>,
  model: string,
  input: string,
  rows: readonly string[],
): Promise<readonly unknown[] | string> => {
  try {
    const inputs = new Map([[input, tensorOf("BYTES", [rows.length, 1], rows)]]);
    return [...(await client.infer({ model, inputs })).values()].flatMap((answer) => [...valuesOf(answer)]);
  } catch (error) {
    return (error as Error).message;
  }
};

/** The first row that differs; the whole answers if one of them is an error. */
const shown = ({ rows }: Request, wanted: unknown, got: unknown): string => {
  const [a, b] = [wanted, got].map((answer) => (Array.isArray(answer) ? (answer as unknown[]) : undefined));
  const at = a?.findIndex((one, index) => one !== b?.[index]) ?? 0;
  return [rows[at]?.call, a && b ? a[at] : wanted, a && b ? b[at] : got]
    .map((part) => (JSON.stringify(part) ?? "nothing").slice(0, 1000))
    .join("\n");
};

/**
 * Two things that esbuild changes in the error of a bundled function. A bundle's source map does not have a position for each token, so Node
 * finds the start of the enclosing expression: `a.b` for `b` in `a.b.c()`. A variable with the same name as one in an enclosing scope gets a
 * number, which V8's message shows: `words2.map is not a function`.
 */
const alike = (got: unknown, wanted: unknown): "columns" | "names" | undefined => {
  if (typeof got !== "string" || typeof wanted !== "string") return undefined;
  const [a, b] = [got, wanted].map((text) => /^([^]*:)(\d+)\)$/.exec(text));
  if (a?.[1] !== undefined && a[1] === b?.[1] && Number(a[2]) < Number(b[2])) return "columns";
  return got.replace(/(?<=: TypeError: [a-z]+)2\b/, "") === wanted ? "names" : undefined;
};
