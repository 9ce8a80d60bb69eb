import type { NodeProblem as BundleProblem } from "@tritype/compiler";
import type { Diagnostic, Span } from "@tritype/core";
import type { LoadFailure } from "@tritype/node-host";

/** The kinds of problems that a bundle can have. */
export type NodeProblemCode =
  /** A source cannot be read: syntax, a missing file or package. */
  | "node/source"
  /** A package that works neither in the bundle nor next to it. */
  | "node/package"
  /** A native addon outside npm packages. */
  | "node/addon"
  /** A native package in two versions. */
  | "node/versions"
  /** A module that is loaded in a way that a bundle cannot contain. */
  | "node/dynamic-import"
  /** A file that a source reads from its own folder. */
  | "node/file-beside"
  /** The bundle throws while it is loaded. */
  | "node/not-loaded";

/** A mistake by the author that prevents a function from running on Node in Triton. */
export interface NodeProblem extends BundleProblem {
  readonly code: NodeProblemCode;
}

/** A diagnostic of the loader as a problem. */
export const sourceProblem = ({ message, labels, help }: Diagnostic, otherwise: Span): NodeProblem => ({
  code: "node/source",
  at: labels[0]?.span ?? otherwise,
  message,
  help,
});

/** @param why The reason, as a sentence. */
export const packageProblem = (name: string, why: string, at: Span): NodeProblem => ({
  code: "node/package",
  at,
  message: `the package "${name}" cannot run in Triton: ${why}`,
  help: "use another package, or run this code in a separate service",
});

export const addonProblem = (path: string, at: Span): NodeProblem => ({
  code: "node/addon",
  at,
  message: `"${path}" is a native addon outside an npm package, built for this machine only`,
  help: "install it as an npm package that supports the server's platform",
});

export const versionsProblem = (name: string, versions: readonly string[], at: Span): NodeProblem => ({
  code: "node/versions",
  at,
  message: `the step uses "${name}" in the versions ${versions.join(" and ")}, but only one version of a package with native addons can be installed for it`,
  help: `install one version for all of them; \`npm ls ${name}\` shows which packages need which version`,
});

export const dynamicProblem = (what: string, at: Span): NodeProblem => ({
  code: "node/dynamic-import",
  at,
  message: `the module in \`${what}\` is not a literal, so the bundle cannot contain it`,
  help: "write one import for each possible module, with its name as a literal",
});

export const requireProblem = (written: string, at: Span): NodeProblem => ({
  code: "node/dynamic-import",
  at,
  message: `"${written}" is loaded with createRequire(), so the bundle cannot contain it`,
  help: `import it: \`import content from "${written}"\``,
});

export const fileProblem = (path: string, at: Span): NodeProblem => ({
  code: "node/file-beside",
  at,
  message: `the step reads "${path}" from the folder of its source, but the server only has the bundle`,
  help: /\.(?:json|txt)$/.test(path)
    ? `import it, so that it becomes part of the bundle: \`import content from "${path.startsWith(".") ? path : `./${path}`}"\``
    : "import the content from a .json, .txt or .ts file, or read it from a folder on the server",
});

export const notLoadedProblem = (error: string, denied: LoadFailure["denied"], at: Span): NodeProblem => ({
  code: "node/not-loaded",
  at,
  message: `loading its function ${denied?.says ?? `fails with "${error}"`}`,
  help:
    denied === undefined
      ? "the server loads the function once, before the first request; move code that may fail into `run`"
      : denied.advice,
});
