import { messagesOf, type ServerMessage } from "./server-message.ts";

/** Messages from tritype's own clients. Errors from tritype's command and local runtime explain themselves. */
export const ownMessages: readonly ServerMessage[] = messagesOf([
  // Messages from the typed client before it sends a request: kind `invalid`.
  [
    [
      "input `{tensor}`: expected {wanted}, got no rows",
      "input `{tensor}` of `{model}`, {wanted}: got no rows",
    ],
    "client",
    "`{tensor}` is empty: {wanted} needs at least one row",
    "pass at least one row, or skip the call if there are no rows",
  ],
  [
    "input `{tensor}`: expected {wanted}, got {got:line}",
    "client",
    "the value for `{tensor}` is not a valid {wanted}: {got}",
    "pass nested lists, or { data, shape }, of {wanted}; nothing was sent",
  ],
  [
    [
      "input `{tensor}` of {ensemble} is missing: {wanted:line}",
      "`{ensemble}` needs the input `{tensor}`, {wanted:line}",
    ],
    "client",
    "the request has no `{tensor}`, which is {wanted}",
    "pass it: { {tensor}: … }",
  ],
  [
    "{ensemble} has no input `{tensor}`; its inputs are {list:line}",
    "client",
    "no input is named `{tensor}`; the inputs are {list}",
    "use one of these names; they are compared exactly",
  ],
  [
    "`{ensemble}` has no input `{tensor}`",
    "client",
    "no input of `{ensemble}` is named `{tensor}`",
    "use a name from the definition's `inputs`; they are compared exactly",
  ],
  [
    "{ensemble} has no output `{tensor}`; its outputs are {list:line}",
    "client",
    "no output is named `{tensor}`; the outputs are {list}",
    "request one of these, or omit `outputs` for all",
  ],
  [
    "takes an object of inputs",
    "client",
    "the argument is not an object of named inputs",
    "pass { name: value }",
  ],
  [
    "output `{tensor}` is not BYTES, so it has no raw form",
    "client",
    "`raw` names `{tensor}`, which contains numbers",
    "remove it from `raw`: numbers are always typed arrays",
  ],
  [
    "deadlineMs must be a number of milliseconds above 0, got {got:line}",
    "client",
    "the call's deadline is {got}",
    "pass a number of milliseconds above 0, or leave out `deadlineMs`",
  ],
  [
    "url must be like http://127.0.0.1:8000, got {got:line}",
    "client",
    "the client's `url` is {got}, which is not an HTTP address",
    "give the scheme, the host and the port; a path alone only works in a browser",
  ],
  // Kind `contract`.
  [
    [
      "the server's `{ensemble}` is not the one that this client was generated for",
      "the server's `{ensemble}` has changed:",
    ],
    "client",
    "the inputs or outputs of `{ensemble}` on the server are not those that this client knows",
    "regenerate the client (`pipeline build` writes build/client), or serve the build that the client came with; a client that only knows the name uses the new ones from its next call on",
  ],
  // Kinds `unreachable`, `lost`, `deadline`, `cancelled`.
  [
    "no server answers at {url}: {cause:rest}",
    "client",
    "no server is listening on {url}",
    "check that the server is running and has loaded its models, and check the port: 8000 is for HTTP, 8001 for gRPC",
  ],
  [
    "no answer from {url}: {cause:rest}",
    "client",
    "the browser got no response from {url}, and does not give the reason",
    "see the browser's console; if the server's origin is not the page's, the server or a proxy in front of it must allow this (CORS)",
  ],
  [
    "the connection to {url} ended before the answer was complete",
    "server",
    "the server, or a proxy in front of it, closed the connection in the middle of a request",
    "see the end of the server's log; with `idempotent: true`, such a request is retried",
  ],
  [
    [
      "no answer within {time:n} ms",
      "the stream did not end within {time:n} ms",
      "the request reached its time limit",
    ],
    "client",
    "the call reached its deadline before the response arrived",
    "raise `deadlineMs`, and check the model's queue and compute times under `/v2/models/<model>/stats`",
  ],
  [
    ["the caller cancelled the request", "your signal is already aborted"],
    "client",
    "the `signal` of the call was aborted",
    "if this was intended, nothing is wrong; otherwise find out what aborts it",
  ],
  // Kind `malformed`.
  [
    "output `{tensor}`: expected {wanted}, got {got:line}",
    "server",
    "the server sent `{tensor}` as {got}, but the client was generated for {wanted}",
    "regenerate the client from the served build; a Python model may return a dtype or shape that differs from its configuration",
  ],
  [
    "output `{tensor}`: element {index:n} is not UTF-8",
    "client",
    "`{tensor}` contains bytes that are not text",
    'request its bytes: { raw: ["{tensor}"] }',
  ],
  [
    "the answer of {ensemble} has no output `{tensor}`",
    "server",
    "the server's response does not contain `{tensor}`",
    "regenerate the client from the served build",
  ],
  [
    [
      "the server's answer cannot be read: {got:line}",
      "the server's {what} of the model cannot be read: {got:line}",
    ],
    "client",
    "the server at that address does not speak KServe v2 as expected: {got}",
    "check that the address is Triton's HTTP port, and that the response is not a proxy's error page",
  ],
  // Messages about the values passed to `run`, in this process.
  [
    "input `{tensor}` of `{model}`, {wanted}: the lists have unequal lengths",
    "client",
    "the rows of `{tensor}` have different lengths",
    "give every row the same number of values",
  ],
  [
    "input `{tensor}` of `{model}`, {wanted}: {got:line}",
    "client",
    "the value for `{tensor}` of `{model}` is not {wanted}: {got}",
    "pass nested lists, or a typed array with its shape, of {wanted}",
  ],
  // The local runtime's own wording within Triton's messages.
  [
    "was killed after {seconds:n} s, the limit of one execution",
    "model-code",
    "`execute` took longer than the local runtime's time limit",
    "make it faster, or raise the limit: `pipeline dev --python-timeout`",
  ],
]);
