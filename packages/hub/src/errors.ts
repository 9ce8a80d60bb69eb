import { defineErrors, type MakeError } from "@tritype/core";

/** Errors related to the Hugging Face Hub and its settings. */
export const hubErrors = {
  "hub/denied": {
    code: "hub/denied",
    message: "{what}\n  {request}",
  },
  "hub/endpoint": {
    code: "usage/invalid",
    message: "HF_ENDPOINT is `{text}`, which is not an http or https URL",
    help: "set it to the URL of a mirror, or leave it unset",
  },
  "hub/endpoint-password": {
    code: "usage/invalid",
    message: "HF_ENDPOINT contains a user name or a password",
    help: "remove them, and set HF_TOKEN",
  },
  "hub/no-space": {
    code: "file/not-writable",
    message: "{needed} do not fit into {folder}: only {free} are free",
    help: "make room, or set HF_HUB_CACHE to a folder on another disk",
  },
  "hub/not-a-hub": {
    code: "hub/unreachable",
    message: "{endpoint} does not answer like a Hugging Face Hub: {why}",
    help: "check HF_ENDPOINT, and any proxy or network login page in between",
  },
  "hub/not-a-repository": {
    code: "usage/invalid",
    message: "{text} is not a repository on the Hugging Face Hub",
    help: "write hf:owner/name, or hf:owner/name@revision",
  },
  "hub/not-a-revision": {
    code: "usage/invalid",
    message: "`{revision}` is not a valid revision",
    help: "name a branch, a tag or a commit: hf:owner/name@main",
  },
  "hub/not-found": {
    code: "hub/not-found",
    message: "{what}\n  {request}",
  },
  "hub/offline-file": {
    code: "hub/unreachable",
    message: "HF_HUB_OFFLINE is set, and the cache has no {path}",
    help: "unset HF_HUB_OFFLINE to download it",
  },
  "hub/offline-list": {
    code: "hub/unreachable",
    message: "HF_HUB_OFFLINE is set, so the hub cannot list {name}",
    help: "unset it; without a network, `pipeline add` takes the files in pipeline.lock.json from the cache",
  },
  "hub/path-outside": {
    code: "hub/wrong-bytes",
    message: "{repository} lists a file `{path}`, which would be outside its folder; nothing was downloaded",
    help: "no git repository can contain such a name: check HF_ENDPOINT, and do not trust the repository",
  },
  "hub/seconds": {
    code: "usage/invalid",
    message: "{variable} is `{value}`",
    help: "set it to a number of seconds",
  },
  "hub/token": {
    code: "usage/invalid",
    message: "HF_TOKEN contains invalid characters",
    help: "copy it again, without quotes and spaces",
  },
  "hub/unreachable": {
    code: "hub/unreachable",
    message: "{what}\n  {request}",
  },
  "hub/wrong-bytes": {
    code: "hub/wrong-bytes",
    message: "{path} is not what the hub announced: {difference}\n  {request}",
    help: "the download was discarded; run the command again, and if it fails again, use another mirror (HF_ENDPOINT): a proxy may be changing files",
  },
} as const;

export const hubError: MakeError<typeof hubErrors> = defineErrors(hubErrors);
