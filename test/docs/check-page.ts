import {
  type CheckOptions,
  checkRepositories,
  type MountedRepository,
  type RepositoryHost,
  type RuleEntry,
} from "@tritype/check";
import { renderDiagnostic } from "@tritype/project/diagnostics";
import { decodeUtf8, type Diagnostic } from "@tritype/core";
import { defaultRelease, releaseOf } from "@tritype/triton";
import pc from "picocolors";
import { type DescribedModel, describedModel } from "./described-model.ts";
import { type Fence, fencesOf } from "./markdown-fences.ts";
import { pageRepository } from "./page-repository.ts";
import { applyPatch } from "./patch.ts";

/** A page's two repositories, and the options of the check. */
export interface CheckPage {
  readonly wrong: RepositoryHost;
  readonly fixed: RepositoryHost;
  /** The files of the wrong repository. */
  readonly files: Files;
  /** The signatures of its models. */
  readonly models: Readonly<Record<string, DescribedModel>>;
  /** Variations of the wrong repository; its info is the configuration that they change. */
  readonly cases?: Fence;
  /** The terminal output. */
  readonly shown: Fence;
  readonly options: CheckOptions;
  /** Folders that are model repositories of one server; default: the root. */
  readonly repositories: readonly string[];
}

/** The first lines of a page, from the rule's own data. */
export const pageHead = ({ code, reason, severity, triton, judged, since, until }: RuleEntry): string => {
  const releases = [
    ...(since === undefined ? [] : [`Since ${since}`]),
    ...(until === undefined ? [] : [`Until ${until}`]),
  ];
  return `# ${code}

${reason}

${[
  severity === "error" ? "Error" : "Warning",
  ...(triton.length === 0 ? [] : [`Triton ${triton.length === 1 ? "rule" : "rules"} ${triton.join(", ")}`]),
  ...releases,
  judgedBy[judged],
].join(". ")}.
`;
};

const judgedBy: Readonly<Record<RuleEntry["judged"], string>> = {
  live: "Verified against a real server",
  stub: "Verified against a real server with a stub of the backend",
  recorded: "Verified against recorded answers of a real server",
  library: "Verified with PyPI's ONNX Runtime, without a server",
  source: "From the backend's source code, not verified on a server",
  ours: "Tritype's own check: Triton itself loads the model",
};

/**
 * Reads a page. A fence with a path is a file; with `wrong` or `fixed` before the path, it is only in one of the repositories. A fence
 * `diff fixed` changes a file of the wrong repository, `hex` is a binary file, `onnx` the signature of a model, `files` lists empty
 * files, `json options` are the options of the check, and `cases` are variations. If a page shows only configurations, only they are
 * checked.
 */
export const readCheckPage = (page: string): CheckPage => {
  const fences = fencesOf(page);
  const shown = fences.find(({ language, info }) => language === "text" && info === "");
  if (shown === undefined) throw new Error("a page has a fence of what the terminal shows");
  const given = fences.find(({ info }) => info === "options")?.text ?? "{}";
  const { repositories = [""], ...options } = JSON.parse(given) as PageOptions;
  const cases = fences.find(({ language }) => language === "cases");
  const of = (side: "wrong" | "fixed"): Files =>
    Object.fromEntries(
      fences
        .filter((fence) => fence !== shown && fence !== cases && fence.info !== "options")
        .filter(({ info }) => !info.startsWith(side === "wrong" ? "fixed" : "wrong"))
        .flatMap((fence) => filesOf(fence, fences)),
    );
  const configsOnly = fences.every(
    ({ language, info }) => language === "text" || info === "options" || info.endsWith("/config.pbtxt"),
  );
  const files = of("wrong");
  return {
    wrong: pageRepository(files),
    fixed: pageRepository(of("fixed")),
    files,
    models: Object.fromEntries(
      fences
        .filter(({ language, info }) => language === "onnx" && !info.startsWith("fixed"))
        .map(({ info, text }) => [info.replace(/^wrong /, ""), JSON.parse(text) as DescribedModel]),
    ),
    ...(cases && { cases }),
    shown,
    options: { configsOnly, release: defaultRelease, ...checkOptions(options) },
    repositories,
  };
};

/** Options as pages write them: the release is a `target`. */
export interface PageOptions extends Partial<CheckOptions> {
  readonly target?: string;
  readonly repositories?: readonly string[];
}

/** The checker's options for the options of a page. */
export const checkOptions = ({ target, ...options }: PageOptions): Partial<CheckOptions> => {
  const release = target === undefined ? undefined : releaseOf(target);
  if (target !== undefined && release === undefined) throw new Error(`no release ${target}`);
  return { ...options, ...(release && { release }) };
};

/** Files by path, in the form that `pageRepository` takes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/**
 * A file as JSON: text, `{ "hex": … }`, or the difference of a model's signature from `before`; `null` leaves a key
 * out.
 */
export const givenFile = (value: unknown, before: DescribedModel | undefined): string | Uint8Array => {
  if (typeof value === "string") return value;
  const { hex, ...model } = value as DescribedModel & { readonly hex?: string };
  if (hex !== undefined) return bytesOfHex(hex);
  const whole = Object.entries({ ...before, ...model }).filter(([, part]) => part !== null);
  return describedModel(Object.fromEntries(whole));
};

const filesOf = (
  { language, info, text }: Fence,
  fences: readonly Fence[],
): readonly (readonly [string, string | Uint8Array])[] => {
  const path = info.replace(/^(wrong|fixed) ?/, "");
  if (language === "diff") return filesOf(patched(path, text, fences), fences);
  if (language === "files")
    return text
      .trim()
      .split("\n")
      .map((line) => [line, ""] as const);
  if (language === "hex") return [[path, bytesOfHex(text)]];
  if (language === "onnx") return [[path, describedModel(JSON.parse(text) as DescribedModel)]];
  return [[path, text]];
};

/** The wrong repository's file at a path, with the changes. */
const patched = (path: string, patch: string, fences: readonly Fence[]): Fence => {
  const changed = fences.find(
    ({ language, info }) => language !== "diff" && info.replace(/^wrong /, "") === path,
  );
  if (changed === undefined) throw new Error(`a patch of ${path}, which the page does not have`);
  return { ...changed, text: applyPatch(changed.text, patch) };
};

/** `00*8 ff`: eight bytes of 0, one of 255. */
const bytesOfHex = (text: string): Uint8Array => {
  const runs = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((item) => {
      const [byte = "", count = "1"] = item.split("*");
      return { byte: Number.parseInt(byte, 16), count: Number(count) };
    });
  const bytes = new Uint8Array(runs.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  // Some pages have megabytes of zeros.
  for (const { byte, count } of runs) bytes.fill(byte, at, (at += count));
  return bytes;
};

/** The findings of the check for one side of a page. */
export const findOn = (side: "wrong" | "fixed", page: CheckPage): readonly Diagnostic[] =>
  checkRepositories(
    page.repositories.map((folder) => mount(page[side], folder)),
    page.options,
  ).diagnostics;

const mount = (host: RepositoryHost, folder: string): MountedRepository => {
  if (folder === "") return { host, prefix: "" };
  return {
    host: {
      list: (path) => host.list(path === "" ? folder : `${folder}/${path}`),
      read: (path, limit) => host.read(`${folder}/${path}`, limit),
    },
    prefix: `${folder}/`,
  };
};

/** The findings as shown in the terminal, without colours. */
export const shownOn = (host: RepositoryHost, diagnostics: readonly Diagnostic[]): string => {
  const source = (file: string): string | undefined => {
    const bytes = host.read(file);
    return bytes && decodeUtf8(bytes);
  };
  return diagnostics
    .map((diagnostic) => `${renderDiagnostic(diagnostic, source, pc.createColors(false))}\n`)
    .join("\n");
};
