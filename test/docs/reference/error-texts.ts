import type { ErrorCode } from "@tritype/core";

/** The meaning of an error code, and the solution. */
export interface ErrorText {
  readonly means: string;
  readonly help: string;
}

/** Every error code. */
export const errorTexts: Readonly<Record<ErrorCode, ErrorText>> = {
  "request/invalid": {
    means:
      "A request does not match the model's configuration: wrong shape, datatype or set of inputs. Triton answers with 400.",
    help: "Compare the request with `GET /v2/models/<model>`; `pipeline explain` also explains the message.",
  },
  "request/malformed": {
    means: "A request cannot be parsed: it is not JSON, or lacks a field. Triton answers with 500.",
    help: 'Send `{ "inputs": [{ "name", "shape", "datatype", "data" }] }`.',
  },
  "request/too-large": {
    means: "A request is larger than the server accepts.",
    help: "Send smaller batches, or start the server with a larger `--http-max-input-size`.",
  },
  "request/unsupported": {
    means: "The request needs something that this server does not support, such as a protocol extension.",
    help: "Remove it, or use a real Triton.",
  },
  "request/cancelled": {
    means:
      "The client disconnected, cancelled, or reached its deadline before the answer. A waiting request left the queue.",
    help: "Raise the client's timeout, or find out why the model is busy.",
  },
  "model/not-found": {
    means: "The server has no such model, version or address. Triton answers with 404.",
    help: "Check the spelling, and whether the server's log says that the model was loaded.",
  },
  "model/unavailable": {
    means: "The model exists, but it could not be loaded or is not ready yet. Triton answers with 503.",
    help: "Look in the server's log for the reason; `pipeline check` finds what Triton refuses.",
  },
  "model/failed": {
    means:
      "The model itself failed while it ran: its Python raised an exception, or ONNX Runtime reported an error.",
    help: "Read what the message says about the model's code; run the model alone on the same input.",
  },
  "model/unknown-error": {
    means: "A Python model's code answered with `TritonError.UNKNOWN`. Triton answers with 400.",
    help: "Read the message: it comes from the model's own code.",
  },
  "model/already-exists": {
    means: "A Python model's code answered with `TritonError.ALREADY_EXISTS`. Triton answers with 400.",
    help: "Read the message: it comes from the model's own code.",
  },
  "repository/invalid": {
    means: "A folder is not a servable model repository, or its manifest is broken.",
    help: "Run `pipeline check` on it, or build it again.",
  },
  "file/not-found": {
    means: "A named file or folder does not exist.",
    help: "Check the path: paths of a pipeline are relative to the folder of pipeline.config.ts.",
  },
  "file/not-readable": {
    means: "A file exists but has the wrong content or cannot be read.",
    help: "Check that it is complete: a Git LFS pointer or an incomplete download looks like this.",
  },
  "file/not-writable": {
    means: "A file or folder cannot be written.",
    help: "Check its permissions and the free disk space.",
  },
  "file/foreign": {
    means: "A build would overwrite a file that no Tritype build wrote, so it wrote nothing.",
    help: "Choose another `output` in pipeline.config.ts, or move the file away.",
  },
  "port/in-use": {
    means: "Another program uses the port.",
    help: "Stop it, or choose another port with `--http-port`.",
  },
  "usage/invalid": {
    means: "Invalid command line.",
    help: "See `pipeline <command> --help`.",
  },
  "project/invalid": {
    means:
      "The project's files cannot be loaded. The message says which of these it is: a syntax error; an import of a file or package that does not exist, of a name that it does not export, or of a file that is neither TypeScript, JavaScript nor JSON; an error that your own code threw while it was loaded, outside `run`; an option of `pipeline.config.ts` that is wrong; or entries that export no ensemble.",
    help: "Go to the line that the message names. For an error in your code, the lines below it show where it was called from. For missing ensembles, export what `defineEnsemble()` returns from a file that `entries` lists.",
  },
  "tool/missing": {
    means: "A required program is missing: Python, a compiler or Triton itself.",
    help: "Install it, or leave out whatever needs it, as the message says.",
  },
  "device/unavailable": {
    means:
      "The requested device cannot be used: there is no GPU, or ONNX Runtime lacks the libraries for it.",
    help: "Use `--device cpu`, or `--device auto`, which uses a GPU if one works.",
  },
  "tensor/wrong-size": {
    means: "The number of a tensor's elements does not match its shape.",
    help: "Make the values match the shape.",
  },
  "server/unreachable": {
    means: "No server answers at the address, or the server ended before it was listening.",
    help: "Check that the server is running, its port, and the end of its log.",
  },
  "hub/not-found": {
    means: "The Hugging Face Hub has no such repository, revision or file.",
    help: "Check the spelling of `hf:owner/name@revision`; a private repository needs HF_TOKEN.",
  },
  "hub/denied": {
    means:
      "The Hugging Face Hub does not let you read the repository, with this token or without one: it is private, or its terms were not accepted.",
    help: "Accept the terms on the model's page, and set HF_TOKEN to a token that may read it.",
  },
  "hub/unreachable": {
    means: "The Hugging Face Hub, or the mirror that HF_ENDPOINT names, does not give a usable answer.",
    help: "Check the network and HF_ENDPOINT, then run the command again: a download continues where it stopped.",
  },
  "hub/wrong-bytes": {
    means:
      "A downloaded file has a different hash or size than the hub announced, because a proxy, a mirror or the disk changed it. The file was discarded.",
    help: "Run the command again; if it happens again, download from another mirror (HF_ENDPOINT).",
  },
};
