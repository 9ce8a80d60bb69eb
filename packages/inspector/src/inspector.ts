import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import { PipelineError } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { readManifest, type Runtime } from "@tritype/runtime";
import type { HttpDoor, HttpDoorRequest } from "@tritype/server";
import type { ModelConfig } from "@tritype/triton";
import type { Changes, FindingView, Live, ModelView, Overview } from "./api.ts";
import { inspectorPath } from "./api.ts";
import { describeModels } from "./describe-models.ts";
import { examplesOf } from "./examples.ts";
import { openModelFiles } from "./model-files.ts";
import { pageFile } from "./page-files.ts";
import { pageRequestSteps, runPageRequest } from "./run-request.ts";

/** A finding, and the model whose files it is about. */
export interface PlacedFinding {
  readonly model: string | undefined;
  readonly finding: FindingView;
}

export interface InspectorOptions {
  readonly runtime: Runtime;
  /** Its folder. */
  readonly repository: string;
  /** The repository as the user names it. */
  readonly shownRepository: string;
  /** Folder of the project that the repository was built from; undefined: no sources are shown. */
  readonly root?: string | undefined;
  /** Whether requests of the page may record the tensors between the models. */
  readonly tensors: boolean;
  /** The findings of `pipeline check`; called when the page asks for the first time after a change. */
  findings(): Promise<readonly PlacedFinding[]>;
}

/** The page and its API. Without a reader it does nothing. */
export interface Inspector {
  readonly door: HttpDoor;
  /** The repository was read again. */
  changed(): void;
  /** A build has failed, or a later one has succeeded. @param text What the terminal says; empty after a success. */
  failed(text: string): void;
}

type Answer = Awaited<ReturnType<HttpDoor["answer"]>>;

interface Known {
  readonly overview: Overview;
  readonly models: ReadonlyMap<string, ModelView>;
  readonly manifest: Manifest | undefined;
}

export const createInspector = (options: InspectorOptions): Inspector => {
  const { runtime, repository, root, tensors } = options;
  const files = openModelFiles(repository, root);
  let changes = 0;
  let failure: string | undefined;
  let known: Promise<Known> | undefined;
  let knownStamp = "";

  const stamp = (): string =>
    createHash("sha256")
      .update(JSON.stringify([changes, modified(join(repository, "..", "manifest.json")), runtime.models()]))
      .digest("hex")
      .slice(0, 16);
  const configOf = (model: string): ModelConfig | undefined => {
    try {
      return runtime.modelConfig(model);
    } catch (error) {
      if (!PipelineError.is(error)) throw error;
      return files.config(model);
    }
  };
  const read = async (): Promise<Known> => {
    const manifest = await readManifest(repository).catch((error: unknown) => {
      if (PipelineError.is(error)) return undefined;
      throw error;
    });
    const found = await options.findings();
    const findings = new Map<string, FindingView[]>();
    for (const { model = "", finding } of found)
      findings.set(model, [...(findings.get(model) ?? []), finding]);
    const statuses = runtime.models();
    const models = describeModels({ statuses, configOf, manifest, findings });
    const names = new Set(models.map(({ name }) => name));
    const overview: Overview = {
      repository: options.shownRepository,
      tensors,
      models,
      findings: found.flatMap(({ model, finding }) =>
        model === undefined || !names.has(model) ? [finding] : [],
      ),
      clients: (manifest?.ensembles ?? []).map(({ name }) => name),
    };
    return { overview, models: new Map(models.map((model) => [model.name, model])), manifest };
  };
  const current = (): Promise<Known> => {
    const now = stamp();
    if (known === undefined || now !== knownStamp) {
      knownStamp = now;
      known = read();
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };

  /** The answers by path below `/inspector/api/`; `name` is a model. */
  const get: Readonly<Record<string, (name: string) => object | undefined | Promise<object | undefined>>> = {
    overview: async () => (await current()).overview,
    changes: (): Changes => ({ stamp: stamp(), ...(failure === undefined ? {} : { failure }) }),
    live: () => live(runtime),
    model: async (name) => {
      const model = (await current()).models.get(name);
      return model && files.detail(name, configOf(name) ?? {}, model.source);
    },
    examples: async (name) => {
      const { models, manifest } = await current();
      const model = models.get(name);
      return model && examplesOf(model, models, manifest, files);
    },
  };

  const answer = async (request: HttpDoorRequest): Promise<Answer> => {
    const { method } = request;
    const path = request.path.slice(inspectorPath.length);
    if (path.startsWith("/api/")) {
      const [what = "", name = "", ...more] = path.slice("/api/".length).split("/");
      if (what === "run" && name === "") return method === "POST" ? run(request) : refused(405);
      const make = Object.hasOwn(get, what) && more.length === 0 ? get[what] : undefined;
      if (make === undefined) return refused(404);
      if (method !== "GET") return refused(405);
      const value = await make(decode(name));
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

  const run = async ({ readMessage, askModel, onInternalError }: HttpDoorRequest): Promise<Answer> => {
    const request = await readMessage(pageRequestSteps);
    if (request === undefined) return refused(400);
    return {
      status: 200,
      headers: { "Content-Type": "application/x-ndjson", ...pageHeaders },
      pieces: runPageRequest(request, askModel, tensors, onInternalError),
    };
  };

  return {
    door: { path: inspectorPath, answer },
    changed: () => {
      changes++;
    },
    failed: (text) => {
      failure = text === "" ? undefined : text;
    },
  };
};

/** Nothing from elsewhere, no script and no style in the page's text, no page around it. */
const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
};

const json = (value: object): Answer => ({
  status: 200,
  headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...pageHeaders },
  body: JSON.stringify(value),
});

const refused = (status: number): Answer => ({
  status,
  headers: { "Content-Type": "application/json", ...pageHeaders },
  body: JSON.stringify({ error: STATUS_CODES[status] }),
});

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const modified = (path: string): number => {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
};

const live = (runtime: Runtime): Live => ({
  at: performance.now(),
  memory: process.memoryUsage.rss(),
  models: runtime.statistics().map((one) => {
    const { success, fail, queue, compute_infer } = one.inference_stats;
    const ms = ({ ns }: { readonly ns: number }): number => ns / 1e6;
    return {
      model: one.name,
      version: one.version,
      success: success.count,
      failed: fail.count,
      pending: one.pending,
      rows: one.inference_count,
      executions: one.execution_count,
      took: ms(success),
      queue: ms(queue),
      compute: ms(compute_infer),
      batches: one.batch_stats.map(
        ({ batch_size, compute_infer: { count } }) => [batch_size, count] as const,
      ),
    };
  }),
});
