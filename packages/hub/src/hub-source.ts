import { hubError } from "./errors.ts";

/** A repository on the hub and its revision. */
export interface HubSource {
  /** `owner/name`. */
  readonly repository: string;
  /** A branch, a tag or a commit; undefined means `main`. */
  readonly revision: string | undefined;
}

/** Whether a string refers to a repository on the hub: `hf:owner/name`. */
export const isHubSource = (text: string): boolean => text.startsWith("hf:");

/** Reads `hf:owner/name` or `hf:owner/name@revision`. @throws PipelineError `usage/invalid` */
export const parseHubSource = (text: string): HubSource => {
  const [repository = "", ...rest] = text.slice("hf:".length).split("@");
  const revision = rest.length === 0 ? undefined : rest.join("@");
  if (!repositoryName.test(repository) || repository.includes(".."))
    throw hubError("hub/not-a-repository", { text });
  if (revision !== undefined && !isRevision(revision)) throw hubError("hub/not-a-revision", { revision });
  return { repository, revision };
};

/** `hf:owner/name`, with `@revision` if there is one. */
export const printHubSource = ({ repository, revision }: HubSource): string =>
  `hf:${repository}${revision === undefined ? "" : `@${revision}`}`;

const repositoryName = /^[A-Za-z0-9][\w.-]{0,95}(?:\/[A-Za-z0-9_][\w.-]{0,95})?$/;

/** Characters that git allows in branch and tag names; a path that leads out of its folder is not allowed. */
const isRevision = (text: string): boolean =>
  /^[\w][\w./+-]*$/.test(text) && !text.includes("..") && !text.includes("//") && !text.endsWith("/");
