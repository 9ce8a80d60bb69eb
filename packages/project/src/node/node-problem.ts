import type { Diagnostic, Span } from "@tritype/core";

/** Why the function of a step cannot be bundled for Node. */
export type NodeProblemCode =
  /** A source cannot be read: syntax, a missing file or package. */
  | "node/source"
  /** A package that works neither inside the bundle nor next to it. */
  | "node/package"
  /** A native addon that no npm package holds. */
  | "node/addon"
  /** A native package in two versions. */
  | "node/versions"
  /** A module that is loaded in a way that a bundle cannot contain. */
  | "node/dynamic-import"
  /** A file that is read from next to its source. */
  | "node/file-beside";

/** A mistake of the author that prevents a function from running on Node in Triton. */
export interface NodeProblem {
  readonly code: NodeProblemCode;
  /** In the author's files. */
  readonly at: Span;
  /** One sentence. */
  readonly message: string;
  /** What to do. */
  readonly help: string | undefined;
}

/** A diagnostic of the loader as a problem. */
export const sourceProblem = ({ message, labels, help }: Diagnostic, otherwise: Span): NodeProblem => ({
  code: "node/source",
  at: labels[0]?.span ?? otherwise,
  message,
  help,
});

/** @param why What the package does, after its name: "loads modules …". */
export const packageProblem = (name: string, why: string, at: Span): NodeProblem => ({
  code: "node/package",
  at,
  message: `the package "${name}" cannot run in Triton: ${why}`,
  help: "use another package for it, or run this step elsewhere and call it over HTTP",
});

export const addonProblem = (path: string, at: Span): NodeProblem => ({
  code: "node/addon",
  at,
  message: `"${path}" is a native addon outside of an npm package, built for this machine only`,
  help: "put it into an npm package with builds for the server's platform, and install that",
});

export const versionsProblem = (name: string, versions: readonly string[], at: Span): NodeProblem => ({
  code: "node/versions",
  at,
  message: `the step uses "${name}" in the versions ${versions.join(" and ")}, but only one of a package with native addons can be installed for it`,
  help: `bring all to one version: npm ls ${name}`,
});

export const dynamicProblem = (what: string, at: Span): NodeProblem => ({
  code: "node/dynamic-import",
  at,
  message: `the name of the module in \`${what}\` is not a text here, so the bundle cannot contain the module`,
  help: "write the name as a text, with one import for each module that may be meant",
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
  message: `the step reads "${path}" from next to its source, and the server has only the bundle`,
  help: /\.(?:json|txt)$/.test(path)
    ? `import it, which puts it into the bundle: \`import content from "${path}"\``
    : "put the content into a .json, .txt or .ts file and import that, or read it from a folder of the server",
});
