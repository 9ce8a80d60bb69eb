import { STATUS_CODES } from "node:http";
import { decodedName } from "@tritype/core";
import type { HttpApi, HttpApiRequest } from "@tritype/server";
import { type Changes, inspectorPath, type ModelView, type PlaceView } from "./api.ts";
import { digestOf } from "./digest.ts";
import type { Description, Inspected, StepwiseServer } from "./inspected.ts";
import { isPlaceOfPage, readPlace } from "./open-place.ts";
import { pageFile } from "./page-files.ts";
import { pageRequestSteps, runPageRequest, runStepwise } from "./run-request.ts";

/** The page and its API. Idle while no page is open. */
export interface Inspector {
  readonly api: HttpApi;
  /** The repository was read again. */
  changed(): void;
  /** A build has failed, or a later one has succeeded. @param text The terminal's output; empty after a success. */
  failed(text: string): void;
}

export interface InspectorOptions {
  /** Another server, which gets requests of the page for a comparison. */
  readonly other?: StepwiseServer | undefined;
  /** The server's gRPC address; undefined if it is unknown. */
  readonly grpcAddress?: (() => string | undefined) | undefined;
  /** Opens a source in the user's editor; returns the reason if that is impossible. Default: the page has no such links. */
  readonly openEditor?: ((place: PlaceView) => Promise<string | undefined>) | undefined;
}

type Answer = Awaited<ReturnType<HttpApi["answer"]>>;

export const createInspector = (
  inspected: Inspected,
  { other, grpcAddress, openEditor }: InspectorOptions = {},
): Inspector => {
  let changes = 0;
  let failure: string | undefined;
  let known: Promise<Description> | undefined;
  let knownStamp = "";

  const stamp = async (): Promise<string> => digestOf([changes, await inspected.stamp()]);
  const current = async (): Promise<Description> => {
    const now = await stamp();
    if (known === undefined || now !== knownStamp) {
      knownStamp = now;
      known = inspected.describe();
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
  const about = async <T>(
    name: string,
    tell: (description: Description, model: ModelView) => T,
  ): Promise<T | undefined> => {
    const description = await current();
    const model = description.overview.models.find((one) => one.name === name);
    return model && tell(description, model);
  };

  /** The answers by path below `/inspector/api/`; `name` is a model. */
  const get: Readonly<
    Record<
      string,
      (name: string, version: number | undefined) => object | undefined | Promise<object | undefined>
    >
  > = {
    overview: async () => ({
      ...(await current()).overview,
      grpc: grpcAddress?.(),
      bySteps: inspected.bySteps !== undefined,
      editor: openEditor !== undefined,
      ...(other === undefined ? {} : { other: other.url }),
    }),
    changes: async (): Promise<Changes> => ({
      stamp: await stamp(),
      ...(failure === undefined ? {} : { failure }),
    }),
    live: () => inspected.live(),
    model: (name, version) => about(name, ({ detail }, model) => detail(model, version)),
    examples: (name) => about(name, ({ examples }, model) => examples(model)),
  };

  /** The actions of pages by path below `/inspector/api/`. */
  const post: Readonly<Record<string, (request: HttpApiRequest) => Promise<Answer>>> = {
    run: async (request) => {
      const asked = await request.readMessage(pageRequestSteps);
      if (asked === undefined || (asked.head.other && other === undefined)) return refused(400);
      const stepwise = asked.head.other ? other : asked.head.record ? inspected.bySteps : undefined;
      if (stepwise !== undefined && (await about(asked.head.model, () => true)) === undefined)
        return refused(404);
      return {
        status: 200,
        headers: { "Content-Type": "application/x-ndjson", ...pageHeaders },
        pieces:
          stepwise === undefined
            ? runPageRequest(asked, request, inspected.tensors, inspected.isUntouched)
            : runStepwise(asked.request, request, stepwise),
      };
    },
    open: async (request) => {
      const place = readPlace(await request.readBody(longestPlace));
      if (place === undefined) return refused(400);
      if (openEditor === undefined || !isPlaceOfPage(place, (await current()).overview, failure))
        return refused(404);
      const problem = await openEditor(place);
      return json(problem === undefined ? {} : { error: problem }, problem === undefined ? 200 : 503);
    },
  };

  const answer = async (request: HttpApiRequest): Promise<Answer> => {
    const { method } = request;
    const path = request.path.slice(inspectorPath.length);
    if (path.startsWith("/api/")) {
      const [what = "", name = "", version, ...more] = path.slice("/api/".length).split("/");
      const act = Object.hasOwn(post, what) && name === "" ? post[what] : undefined;
      if (act !== undefined) return method === "POST" ? act(request) : refused(405);
      const isPath = version === undefined || (what === "model" && /^[1-9]\d{0,9}$/.test(version));
      const make = Object.hasOwn(get, what) && isPath && more.length === 0 ? get[what] : undefined;
      if (make === undefined) return refused(404);
      if (method !== "GET") return refused(405);
      const value = await make(decodedName(name), version === undefined ? undefined : Number(version));
      return value === undefined ? refused(404) : json(value);
    }
    if (method !== "GET" && method !== "HEAD") return refused(405);
    if (path === "") return { status: 308, headers: { Location: `${inspectorPath}/` }, body: "" };
    const file = pageFile(path === "/" ? "index.html" : path.slice(1));
    return file === undefined
      ? refused(404)
      : {
          status: 200,
          headers: { "Content-Type": file.type, "Cache-Control": "no-cache", ...pageHeaders },
          body: method === "HEAD" ? "" : file.body,
        };
  };

  return {
    api: { path: inspectorPath, answer },
    changed: () => {
      changes++;
    },
    failed: (text) => {
      failure = text === "" ? undefined : text;
    },
  };
};

/** Maximum size in bytes of a request to open a place. */
const longestPlace = 10_000;

/** Forbids content from other hosts, inline scripts and styles, and embedding in other pages. */
const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
};

const json = (value: object, status = 200): Answer => ({
  status,
  headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...pageHeaders },
  body: JSON.stringify(value),
});

const refused = (status: number): Answer => ({
  status,
  headers: { "Content-Type": "application/json", ...pageHeaders },
  body: JSON.stringify({ error: STATUS_CODES[status] }),
});
