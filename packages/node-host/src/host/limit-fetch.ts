import { callSite, hasOuterFrame } from "./call-site.ts";
import { currentRequest } from "./request-context.ts";

/**
 * Makes `fetch`, and reading the bodies of its responses, end with the request that calls it. Their errors contain the
 * author's line.
 */
export const limitFetch = (): void => {
  const unlimited = globalThis.fetch;
  globalThis.fetch = placed("fetch", async (...[to, given]: Parameters<typeof fetch>) => {
    const signal = currentRequest()?.signal;
    // The properties of a Request are not its own, so that a copy would not have them.
    const [input, init] = given instanceof Request ? [new Request(to, given)] : [to, given];
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const both = signal === undefined || own == null ? signal : AbortSignal.any([own, signal]);
    const response = await unlimited(input, both === undefined ? init : { ...init, signal: both });
    placeReaders(Object.getPrototypeOf(response) as Response);
    return response;
  });
};

const readers = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;
let arePlaced = false;

/** Only done after the first `fetch`, because it loads Node's implementation. */
const placeReaders = (prototype: Response): void => {
  if (arePlaced) return;
  arePlaced = true;
  const methods = prototype as unknown as Record<string, (this: unknown) => Promise<unknown>>;
  for (const name of readers) {
    const read = methods[name];
    if (read !== undefined) methods[name] = placed(`response.${name}()`, read);
  }
};

/** The same function, whose errors say that the request has ended, and have the author's line in their stack. */
const placed = <Args extends unknown[], T>(
  name: string,
  work: (this: unknown, ...args: Args) => Promise<T>,
): ((this: unknown, ...args: Args) => Promise<T>) =>
  async function called(this: unknown, ...args: Args): Promise<T> {
    const place = callSite(called);
    try {
      return await work.apply(this, args);
    } catch (error) {
      const request = currentRequest();
      if (request?.isAborted === true) throw place(new Error(`${name}: ${request.why}`));
      throw error instanceof Error && !hasOuterFrame(String(error.stack)) ? place(error) : error;
    }
  };
