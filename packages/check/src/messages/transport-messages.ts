import type { Meaning, Names, ServerMessage } from "./server-message.ts";

const code = ({ model }: Names): string =>
  model === undefined ? "a model's Python code" : `the Python code of \`${model}\``;
const called = (names: Names): string => `a connection that ${code(names)} opened`;
const inContainer =
  "The connection starts on the server's machine, not on the client's: inside a container, `localhost` is the container itself.";
const late: Partial<Meaning> = {
  fixIn: "model-code",
  means: (names) => `${called(names)} got no response in time`,
  why: "The service that the step calls is slow, or the server's machine cannot reach it.",
  help: "check that the server's machine can reach the service, and check the timeout in the step",
};
const ended: Partial<Meaning> = {
  fixIn: "model-code",
  means: (names) => `${called(names)} was closed by the other side`,
  why: "The service that the step calls has exited, or refused the request.",
  help: "check that service's log, and the request that the step sends",
};

/** Messages from the clients themselves, about connections, limits and arrays. */
export const transportMessages: readonly ServerMessage[] = [
  {
    says: "Sent message larger than max ({size:n} vs. {limit:n})",
    means: "the request has {size} bytes, but this client sends at most {limit}",
    help: 'create the client with `channel_args=[("grpc.max_send_message_length", -1)]`, or send smaller batches',
  },
  {
    says: "Received message larger than max ({size:n} vs. {limit:n})",
    means: "a message has {size} bytes, but its receiver accepts at most {limit}",
    why: "gRPC libraries accept 4 MB by default; Triton itself accepts 2 GB.",
    help: "create the client with `grpc.max_receive_message_length` -1, or request fewer outputs",
  },
  {
    says: "message length too large: found {size:n}, limit is: {limit:n}",
    means: "the message has {size} bytes, but its receiver accepts at most {limit}",
    help: "raise the receiver's limit",
  },
  {
    says: ["Deadline Exceeded", "DEADLINE_EXCEEDED"],
    means: "the response took longer than the client's timeout",
    why: "The server continues computing. A model that never responds has the same effect: for example, an `execute` that returns None, or Python models that call each other in a cycle.",
    help: "raise `client_timeout`, and check the model's queue and compute times under `/v2/models/<model>/stats`",
    inModelCode: late,
  },
  {
    says: ["[Errno 111] Connection refused", "Connection refused", "ECONNREFUSED"],
    means: "no server is listening on that address",
    why: "The server has not been started, has exited, is still loading its models (it only listens after that), or the port is wrong: 8000 is for HTTP, 8001 for gRPC, 8002 for metrics.",
    help: "check the server's log, and that the container publishes its ports (`-p 8000:8000 -p 8001:8001`)",
    inModelCode: {
      fixIn: "model-code",
      means: (names) =>
        `${called(names)} was refused: no server is listening on the address that ${code(names)} calls`,
      why: inContainer,
      help: "start the service that the step calls, and use an address in the step that the server's machine can reach",
    },
  },
  {
    says: "Socket closed",
    means: "the server closed the connection",
    why: "It has exited, or it uses a different protocol on this port: 8001 is for gRPC, 8000 for HTTP.",
    help: "check the port and the server's log",
    inModelCode: ended,
  },
  {
    says: "Tls handshake failed",
    means: "the client uses TLS, but the server does not, or uses a different certificate",
    help: "remove `ssl=True`, or start Triton with `--grpc-use-ssl`",
    inModelCode: {
      fixIn: "model-code",
      means: (names) =>
        `${called(names)} failed: it uses TLS, but the service does not, or uses a different certificate`,
      help: "match the service's setup: use TLS only if it does, and with its certificate",
    },
  },
  {
    says: [
      "Domain name not found",
      "Name or service not known",
      "Temporary failure in name resolution",
      "getaddrinfo ENOTFOUND",
    ],
    means: "there is no host with that name",
    help: "check the spelling; inside a container `localhost` is the container itself",
    inModelCode: {
      fixIn: "model-code",
      means: (names) =>
        `${called(names)} failed: the server's machine cannot resolve the host that ${code(names)} calls`,
      why: inContainer,
      help: "check the spelling, and the container's names and network",
    },
  },
  {
    says: ["HTTPParseError", "Expected HTTP/, RTSP/ or ICE/"],
    means: "an HTTP client is connected to something other than an HTTP server",
    help: "use port 8000 for HTTP; 8001 is for gRPC",
    inModelCode: {
      fixIn: "model-code",
      means: (names) => `${called(names)} failed: the other side does not speak HTTP`,
      help: "check the address and the port that the step calls",
    },
  },
  {
    says: "url should not include the scheme",
    means: "the address given to the client begins with `http://`",
    help: "use only `host:port`",
  },
  {
    says: [
      "Connection reset by peer",
      "ECONNRESET",
      "socket hang up",
      "Remote end closed connection without response",
    ],
    fixIn: "server",
    means: "the server closed the connection in the middle of a request",
    why: "It has usually crashed: its log then ends with a signal.",
    help: "check the end of the server's log; repeat the request alone",
    inModelCode: ended,
  },
  {
    says: ["timed out", "ETIMEDOUT"],
    means: "the client waited for longer than its timeout",
    why: "The server continues computing.",
    help: "raise the client's timeout (`network_timeout`, `connection_timeout`), and check the model's times under `/v2/models/<model>/stats`",
    inModelCode: late,
  },
  {
    says: "got unexpected datatype {got} from numpy array, expected {wanted}",
    means: ({ got, wanted = "" }) =>
      wanted.startsWith("TYPE_")
        ? `the input was created with \`${wanted.replace(/\.$/, "")}\`, which is the name in config.pbtxt; clients use ${wanted.replace(/^TYPE_|\.$/g, "")}`
        : `the array is ${got}, but the input was created as ${wanted.replace(/\.$/, "")}`,
    help: "create the input with the protocol's name for the dtype, and convert the array with `.astype`",
  },
  {
    says: "got unexpected numpy array shape {got}, expected {wanted:shape}",
    means: ({ got = "", wanted }) =>
      `the array is ${got.replace(",]", "]")}, but the input was created with the shape ${wanted}`,
    help: "create the input with the array's own shape (`list(array.shape)`): -1 is for configurations only",
  },
  {
    says: "input_tensor must be a numpy array",
    means: "`set_data_from_numpy` got something other than an array",
    help: "convert it with `np.array(value, dtype=…)`",
  },
  {
    says: "The stream is no longer in valid state",
    means: "the gRPC stream ended with an error, which was passed to its callback",
    help: "stop the stream, fix the error in the callback, and start a new one",
  },
  {
    says: "annot switch to a different thread",
    means: "tritonclient's HTTP client is used by several threads",
    why: "It uses gevent, where a connection belongs to a single thread.",
    help: "create one client for each thread, or use the gRPC client",
  },
];
