import type { ErrorCode } from "@tritype/core";

/** What an error that stops a command, or a request, means. */
export interface ErrorPage {
  readonly means: string;
  readonly help: string;
}

/** Every error code, with a text of its own; diagnostics have pages. */
export const errorPages: Readonly<Record<ErrorCode, ErrorPage>> = {
  "request/invalid": {
    means:
      "A request does not fit the model: another shape, datatype or set of inputs than its configuration says. Triton answers it with 400.",
    help: "Compare the request with `GET /v2/models/<model>`; `pipeline explain` takes the message, too.",
  },
  "request/malformed": {
    means: "A request cannot be read: it is no JSON, or lacks a field. Triton answers it with 500.",
    help: 'Send `{ "inputs": [{ "name", "shape", "datatype", "data" }] }`.',
  },
  "request/too-large": {
    means: "A request is larger than the server takes.",
    help: "Send smaller batches, or start the server with a larger `--http-max-input-size`.",
  },
  "request/unsupported": {
    means:
      "The request asks for something that this server does not do, such as an extension of the protocol.",
    help: "Leave it out, or ask a real Triton.",
  },
  "request/cancelled": {
    means:
      "The client went away, cancelled, or let its deadline pass before it had an answer. A request that waited left the queue.",
    help: "Raise the client's timeout, or find out what keeps the model busy.",
  },
  "model/not-found": {
    means: "The server has no such model, version or address. Triton answers with 404.",
    help: "Look at the spelling, and in the server's log whether the model was loaded.",
  },
  "model/unavailable": {
    means: "The model is known, but it could not be loaded or is not ready yet. Triton answers with 503.",
    help: "Look in the server's log for the reason; `pipeline check` finds what Triton refuses.",
  },
  "model/failed": {
    means: "The model itself failed while it ran: an exception of its Python, or an error of ONNX Runtime.",
    help: "Read what the message says of the model's own code; run it alone on the same input.",
  },
  "model/unknown-error": {
    means: "The code of a Python model answered with `TritonError.UNKNOWN`. Triton answers with 400.",
    help: "Read the message: the model's own code says it.",
  },
  "model/already-exists": {
    means: "The code of a Python model answered with `TritonError.ALREADY_EXISTS`. Triton answers with 400.",
    help: "Read the message: the model's own code says it.",
  },
  "repository/invalid": {
    means: "A folder is no model repository that can be served, or its manifest is broken.",
    help: "Run `pipeline check` on it, or build it again.",
  },
  "file/not-found": {
    means: "A file or folder that was named is not there.",
    help: "Look at the path: paths of a pipeline are relative to the folder of pipeline.config.ts.",
  },
  "file/not-readable": {
    means: "A file is there, but it is not what it should be, or may not be read.",
    help: "Look whether it is whole: a Git LFS pointer or half a download looks like this.",
  },
  "file/not-writable": {
    means: "A file or folder cannot be written.",
    help: "Look at its permissions and at the space on the disk.",
  },
  "file/foreign": {
    means: "A build would write over a file that no build of ours wrote. It writes nothing.",
    help: "Choose another `output` in pipeline.config.ts, or move the file away.",
  },
  "port/in-use": {
    means: "Another program listens at the port.",
    help: "Stop it, or choose another port with `--http-port`.",
  },
  "usage/invalid": {
    means: "The command line asks for something that cannot be.",
    help: "Look at `pipeline <command> --help`.",
  },
  "project/invalid": {
    means:
      "The project's files cannot be loaded. The message says which of these it is: a syntax error; an import of a file or package that is not there, of a name that it does not export, or of a file that is neither TypeScript, JavaScript nor JSON; an error that your own code threw while it was loaded, outside of `run`; an option of `pipeline.config.ts` that is wrong; or entries that export no ensemble.",
    help: "Go to the line that the message names. For an error of your code the lines below it say who called it. For missing ensembles, export what `defineEnsemble()` returns from a file that `entries` lists.",
  },
  "tool/missing": {
    means: "A program that is needed is not there: Python, a compiler, Triton itself.",
    help: "Install it, or leave out what needs it, as the message says.",
  },
  "device/unavailable": {
    means:
      "The device that was asked for cannot be used: there is no GPU, or ONNX Runtime lacks the libraries for it.",
    help: "Use `--device cpu`, or `--device auto`, which takes a GPU where one works.",
  },
  "tensor/wrong-size": {
    means: "A tensor has another number of elements than its shape says.",
    help: "Make values and shape agree.",
  },
  "server/unreachable": {
    means: "Nobody answers at the server's address, or the server ended before it listened.",
    help: "Look whether it runs, at the port, and at the end of its log.",
  },
  "hub/not-found": {
    means: "The Hugging Face Hub has no such repository, revision or file.",
    help: "Look at the spelling of `hf:owner/name@revision`; a private repository needs HF_TOKEN.",
  },
  "hub/denied": {
    means:
      "The Hugging Face Hub does not let this token, or nobody without one, read the repository: it is private, or its terms were not accepted.",
    help: "Accept the terms on the model's page, and set HF_TOKEN to a token that may read it.",
  },
  "hub/unreachable": {
    means: "The Hugging Face Hub, or the mirror that HF_ENDPOINT names, gives no answer that can be used.",
    help: "Look at the network and at HF_ENDPOINT, then run the command again: a download goes on where it stopped.",
  },
  "hub/wrong-bytes": {
    means:
      "A downloaded file has another hash or size than the hub says. A proxy or a mirror changed it, or the disk did. It was thrown away.",
    help: "Run the command again; if it happens again, download from another mirror (HF_ENDPOINT).",
  },
};
