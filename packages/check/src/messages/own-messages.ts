import type { Mender, ServerMessage } from "./server-message.ts";

type Row = readonly [says: string | readonly string[], mend: Mender, means: string, help: string];

const rows: readonly Row[] = [
  // The typed client, before it sends: kind `invalid`.
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
    "no input is named `{tensor}`; there are {list}",
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
    "no output is named `{tensor}`; there are {list}",
    "request one of these, or omit `outputs` for all",
  ],
  [
    "takes an object of inputs",
    "client",
    "the argument is not an object of inputs by name",
    "pass { name: value }",
  ],
  [
    "output `{tensor}` is not BYTES, so it has no raw form",
    "client",
    "`raw` names `{tensor}`, which has numbers",
    "remove it from `raw`: numbers are typed arrays anyway",
  ],
  [
    "deadlineMs must be a number of milliseconds above 0, got {got:line}",
    "client",
    "the deadline of the call is {got}",
    "give milliseconds above 0, or leave `deadlineMs` out",
  ],
  [
    "url must be like http://127.0.0.1:8000, got {got:line}",
    "client",
    "the client's `url` is {got}, which is no HTTP address",
    "give the scheme, the host and the port; a path alone works only in a page",
  ],
  // Kind `contract`.
  [
    "the server's `{ensemble}` is not the one this client was made for",
    "client",
    "the inputs or outputs of `{ensemble}` on the server are not those of this client's build",
    "make the client again (`pipeline build` writes build/client), or serve the build that the client came with; nothing was inferred",
  ],
  // Kinds `unreachable`, `lost`, `deadline`, `cancelled`.
  [
    "no server answers at {url}: {cause:rest}",
    "client",
    "nobody listens at {url}",
    "look whether the server runs and has loaded its models, and at the port: 8000 is HTTP, 8001 gRPC",
  ],
  [
    "no answer from {url}: {cause:rest}",
    "client",
    "the browser got no answer from {url}, and does not say why",
    "look at the browser's console; for another origin than the page's the server, or a proxy before it, must allow it (CORS)",
  ],
  [
    "the connection to {url} ended before the answer was complete",
    "server",
    "the server, or a proxy before it, closed the connection in the middle of a request",
    "look at the end of the server's log; `idempotent: true` sends such a request again",
  ],
  [
    ["no answer within {time:n} ms", "the request's time was up"],
    "client",
    "the deadline of the call was up before the answer came",
    "raise `deadlineMs`, and look at the model's queue and compute times under `/v2/models/<model>/stats`",
  ],
  [
    ["the caller cancelled the request", "the caller's signal is aborted already"],
    "client",
    "the `signal` of the call was aborted",
    "nothing is wrong where that was meant; else look who aborts it",
  ],
  // Kind `malformed`.
  [
    "output `{tensor}`: expected {wanted}, got {got:line}",
    "server",
    "the server sent `{tensor}` as {got}, and the client was made for {wanted}",
    "make the client again from the build that is served; a Python model may return another dtype or shape than its configuration says",
  ],
  [
    "output `{tensor}`: element {index:n} is not UTF-8",
    "client",
    "`{tensor}` holds bytes that are no text",
    'ask for its bytes: { raw: ["{tensor}"] }',
  ],
  [
    "the answer of {ensemble} has no output `{tensor}`",
    "server",
    "the server's answer leaves out `{tensor}`",
    "make the client again from the build that is served",
  ],
  [
    [
      "the server's answer cannot be read: {got:line}",
      "the server's {what} of the model cannot be read: {got:line}",
    ],
    "client",
    "what answers there does not speak KServe v2 as expected: {got}",
    "look whether the address is Triton's HTTP port, and not a proxy's error page",
  ],
  // Values of `run`, in this process.
  [
    "input `{tensor}` of `{model}`, {wanted}: the lists have unequal lengths",
    "client",
    "the rows of `{tensor}` have different lengths",
    "give every row the same number of values",
  ],
  [
    "input `{tensor}` of `{model}`, {wanted}: {got:line}",
    "client",
    "the value for `{tensor}` of `{model}` is no {wanted}: {got}",
    "pass nested lists, or a typed array with its shape, of {wanted}",
  ],
  [
    "this runtime does not serve `{model}`",
    "client",
    "`{model}` is none of the runtime's ensembles, nor one of their steps",
    "pass its definition in `ensembles` of startRuntime()",
  ],
  [
    "the runtime is closed",
    "client",
    "a request came after close(), or behind the end of `await using`",
    "close the runtime after the last request",
  ],
  [
    "has no option `{option}`",
    "client",
    "`{option}` is no option",
    "look at the spelling; the editor lists the options",
  ],
  [
    "`ensembles` is empty",
    "client",
    "startRuntime() got nothing to serve",
    "pass what defineEnsemble() returns: startRuntime({ ensembles: [embed] })",
  ],
  [
    "startRuntime takes either `ensembles` or a `repository`",
    "client",
    "startRuntime() got both, or neither",
    "pass one of the two",
  ],
  // The command.
  [
    "cannot write to {path}: {why:line}",
    "machine",
    "the build cannot write {path}: {why}; the other files are as they were",
    "check its permissions, those of its folder and the free space, or set another `output` in pipeline.config.ts",
  ],
  [
    "another build has been writing to {path} for",
    "machine",
    "another process holds the lock of {path}",
    "wait for it or end it; one lock for each `output` in pipeline.config.ts",
  ],
  [
    "another build wrote to {path} meanwhile",
    "machine",
    "two builds appended versions to {path} at once",
    "build again, to append to the current content",
  ],
  [
    "is in the way, and no tritype build wrote it",
    "model-file",
    "a file or folder that the last build did not write is in the way",
    "move it away, rename the step, or set another `output` in pipeline.config.ts",
  ],
  [
    "is not the manifest of a tritype build",
    "model-file",
    "manifest.json in the output folder is somebody else's, or broken",
    "set another `output` in pipeline.config.ts, or delete the file if you no longer need it",
  ],
  [
    "but this tritype reads up to {newest:n}",
    "machine",
    "a newer tritype made the build; this one reads manifests up to version {newest}",
    "update tritype, or build again into another folder",
  ],
  [
    "the model repository {path} does not exist",
    "client",
    "no folder is at {path}",
    "build one with `pipeline build`, or name the folder that holds the models' folders",
  ],
  [
    ["which the local runtime does not have", "which the local runtime does not support"],
    "machine",
    "a model needs something that Triton has and the local runtime does not",
    "serve it with Triton: `pipeline triton serve`",
  ],
  [
    "CUDA cannot be used: {why:line}",
    "machine",
    "onnxruntime-node cannot run on the GPU: {why}",
    "run with `--device cpu`, or install CUDA and cuDNN of the version that it needs",
  ],
  [
    "No Python 3.8 or newer was found",
    "machine",
    "a Python model is to run, and there is no Python that can",
    "install Python 3.8 or newer with numpy",
  ],
  [
    "Python models need numpy, which {executable} cannot import",
    "machine",
    "{executable} has no numpy",
    "install it there: `{executable} -m pip install numpy`",
  ],
  [
    "every instance of model '{model}' waits for this request",
    "model-code",
    "`{model}` calls itself, directly or through other models, and has no instance left to answer",
    "call another model, or raise the count of its instance_group; Triton waits forever here",
  ],
  [
    "was ended after {seconds:n} s, the limit of one execution",
    "model-code",
    "`execute` took longer than the limit that the local runtime was given",
    "make it faster, or give it longer: `pipeline dev --python-timeout`",
  ],
  [
    "names EXECUTION_ENV_PATH '{path}', which",
    "model",
    "`{path}` is no folder of a Python environment",
    "name a virtual environment, or an unpacked conda environment",
  ],
  [
    "auto_complete_config of model '{model}' returns an invalid configuration",
    "model-code",
    "`auto_complete_config` of `{model}` sets a field or a value that no configuration has; Triton drops it all without a word",
    "set what Triton's model_config.proto knows",
  ],
];

/** Messages of tritype's own clients, its local runtime and its command. */
export const ownMessages: readonly ServerMessage[] = rows.map(([says, mend, means, help]) => ({
  says,
  mend,
  means,
  help,
}));
