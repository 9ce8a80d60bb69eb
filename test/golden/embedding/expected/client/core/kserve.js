// Tritype's typed client, beside the clients that `pipeline build` writes. Do not edit.
// SPDX-License-Identifier: Apache-2.0

/**
 * A client of one ensemble over HTTP, in browsers and Node. Tensors travel as binary data.
 * @throws ClientError `invalid` for a URL that is none.
 */
export const createHttpClient = (options) => openClient(httpTransport(options), options.ensemble, options);

/** A client over any transport. Given only the ensemble's name, it asks the server for the rest on first use. */
export const openClient = (transport, ensemble, options) => {
  const { version, retries = 2, backoff = jitteredBackoff, checkContract = true } = options;
  const own = typeof ensemble === "string" ? undefined : ensemble;
  const target = { model: typeof ensemble === "string" ? ensemble : ensemble.name, version };
  const agree = onFirstUse(async (signal) => {
    const scope = openScope(signal, undefined);
    try {
      const policy = { retries, backoff, idempotent: true };
      const server = await withRetries(() => transport.describe(target, scope), policy, scope);
      if (own === undefined) return server;
      if (own.hash !== undefined && own.hash === server.hash) return own;
      const differences = compareContracts(own, server);
      if (differences.length > 0) throw contractError(own.name, differences);
      return own;
    } finally {
      scope.close();
    }
  });
  const contractFor = (scope) => (own !== undefined && !checkContract ? Promise.resolve(own) : agree(scope));
  const within = async (call, work) => {
    const scope = openScope(call.signal, call.deadlineMs ?? options.deadlineMs);
    try {
      return await work(scope);
    } catch (error) {
      // Whatever a connection says when it is cut off, the reason is ours.
      throw scope.ended() ?? error;
    } finally {
      scope.close();
    }
  };
  const infer = async (inputs, call, scope) => {
    // A mistake in the request is said before anything is sent, where the contract is known.
    const early = own === undefined ? undefined : prepare(own, inputs, call);
    const contract = await contractFor(scope);
    const { encoded, wanted } = early ?? prepare(contract, inputs, call);
    const policy = { retries, backoff, idempotent: call.idempotent ?? false };
    const send = () =>
      transport.infer(
        {
          ...target,
          id: call.id,
          parameters: { ...timeout(scope), ...call.parameters },
          inputs: encoded,
          outputs: wanted.outputs,
        },
        scope,
      );
    return decodeOutputs(contract, wanted, await withRetries(send, policy, scope));
  };
  const client = {
    infer: (inputs, call = {}) => within(call, (scope) => infer(inputs, call, scope)),
    check: (call = {}) => within(call, async (scope) => void (await agree(scope))),
    ready: (call = {}) => within(call, (scope) => transport.ready(target, scope)),
    close: () => transport.close(),
  };
  return client;
};

const prepare = (contract, inputs, call) => {
  const known = Object.keys(contract.outputs);
  const wanted = { outputs: call.outputs ?? known, raw: call.raw ?? [] };
  for (const name of [...wanted.outputs, ...wanted.raw])
    if (!known.includes(name))
      throw new ClientError(
        "invalid",
        `${contract.name} has no output \`${name}\`; its outputs are ${known.join(", ")}`,
        { tensor: name },
      );
  for (const name of wanted.raw)
    if (contract.outputs[name]?.dtype !== "BYTES")
      throw new ClientError("invalid", `output \`${name}\` is not BYTES, so it has no raw form`, {
        tensor: name,
      });
  return { encoded: encodeInputs(contract, inputs), wanted };
};

/** Triton drops a request that still waits in a queue with a timeout after these microseconds. */
const timeout = (scope) => {
  const left = scope.remainingMs();
  return left === undefined ? {} : { timeout: Math.ceil(left * 1000) };
};

/** The one error of this client. */
export class ClientError extends Error {
  kind;
  /** Name of the input or output that is at fault, where it is one. */
  tensor;
  /** What was wanted and what was there instead, where they are known. */
  expected;
  got;
  /** Of `refused`: the HTTP status (400), or the name of the gRPC status ("INVALID_ARGUMENT"). */
  status;
  /** False where the inference certainly did not run. */
  mayHaveRun;
  /** Of `contract`: every difference. */
  differences;
  /** Of `refused`: how long the server asks to wait (`Retry-After`). */
  retryAfterMs;
  constructor(kind, message, details = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = "ClientError";
    this.kind = kind;
    this.tensor = details.tensor;
    this.expected = details.expected;
    this.got = details.got;
    this.status = details.status;
    this.mayHaveRun = details.mayHaveRun ?? false;
    this.differences = details.differences ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** `FP32[batch, 384]` */
const showType = ({ dtype, dims }) =>
  `${dtype}[${dims.map((dim) => String(dim).replace(/(#\d+)+$/, "")).join(", ")}]`;

/** As it travels: Triton has no tensors of the batch alone, they have a size-1 dim after it. */
const wireDims = (dims) => (dims.length === 1 && dims[0] === "batch" ? ["batch", 1] : dims);

/** Which dims nested arrays have: all but the 1s after the first. */
const nestedDims = (dims) => dims.flatMap((dim, axis) => (axis > 0 && dim === 1 ? [] : [axis]));

/** KServe v2 over fetch. @throws ClientError `invalid` for a URL that is none. */
const httpTransport = ({ url, headers = {}, fetch: send = fetch }) => {
  const base = baseOf(url);
  const call = async (path, scope, init = {}) => {
    const given = typeof headers === "function" ? headers() : headers;
    let response;
    try {
      response = await send(base + path, {
        ...init,
        // Compressing tensors costs more than it saves. Browsers do not let a page say so.
        headers: { ...given, "Accept-Encoding": "identity", ...init.headers },
        signal: scope.signal,
      });
      return { response, body: await response.arrayBuffer() };
    } catch (cause) {
      throw scope.ended() ?? connectionError(base, cause, response !== undefined);
    }
  };
  const get = async (path, scope) => {
    const reply = await call(path, scope);
    if (!reply.response.ok) throw refusal(path, reply, scope);
    return parse(new Uint8Array(reply.body));
  };
  return {
    describe: async (target, scope) => {
      const path = modelPath(target);
      try {
        return readModelConfig(await get(`${path}/config`, scope));
      } catch (error) {
        // Only Triton has configurations; every KServe server has metadata.
        if (!(error instanceof ClientError) || !noSuchRoute.includes(error.status)) throw error;
        return readModelMetadata(await get(path, scope));
      }
    },
    ready: async (target, scope) => {
      try {
        return (await call(`${modelPath(target)}/ready`, scope)).response.ok;
      } catch (error) {
        if (error instanceof ClientError && (error.kind === "unreachable" || error.kind === "lost"))
          return false;
        throw error;
      }
    },
    infer: async (request, scope) => {
      const path = `${modelPath(request)}/infer`;
      const reply = await call(path, scope, { method: "POST", ...printRequest(request) });
      if (!reply.response.ok) throw refusal(path, reply, scope);
      return readAnswer(reply);
    },
    close: () => undefined,
  };
};

const headerLength = "Inference-Header-Content-Length";

const noSuchRoute = [404, 405, 501];

const baseOf = (url) => {
  const base = url.replace(/\/+$/, "");
  // A page's own address completes a relative one; elsewhere there is none.
  if (!/^https?:\/\/[^/]/.test(base) && !("location" in globalThis))
    throw new ClientError("invalid", `url must be like http://127.0.0.1:8000, got ${JSON.stringify(url)}`);
  return base;
};

/** Names stand in the path as they are: Triton does not decode them. */
const modelPath = ({ model, version }) =>
  `/v2/models/${model}${version === undefined ? "" : `/versions/${version}`}`;

const printRequest = ({ id, parameters, inputs, outputs }) => {
  const json = JSON.stringify(
    {
      ...(id === undefined ? {} : { id }),
      parameters,
      inputs: inputs.map(({ name, dtype, shape, data }) => ({
        name,
        shape,
        datatype: dtype,
        parameters: { binary_data_size: data.byteLength },
      })),
      outputs: outputs.map((name) => ({ name, parameters: { binary_data: true } })),
    },
    // JSON has no bigint; one below 2^53 is a number, and what is above goes as text, which Triton takes for a sequence_id.
    (_, value) =>
      typeof value === "bigint"
        ? Number.isSafeInteger(Number(value))
          ? Number(value)
          : String(value)
        : value,
  );
  const head = new TextEncoder().encode(json);
  return {
    headers: { "Content-Type": "application/octet-stream", [headerLength]: String(head.byteLength) },
    body: join([head, ...inputs.map(({ data }) => data)]),
  };
};

const join = (parts) => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
};

const readAnswer = ({ response, body }) => {
  const given = response.headers.get(headerLength);
  const length = given === null ? body.byteLength : Number(given);
  if (!(length <= body.byteLength)) throw malformed(`its JSON has ${given} of ${body.byteLength} bytes`);
  const answer = parse(new Uint8Array(body, 0, length));
  if (!Array.isArray(answer?.outputs)) throw malformed("it has no outputs");
  let at = length;
  return answer.outputs.map(({ name, datatype, shape, parameters }) => {
    const size = parameters?.binary_data_size;
    if (size === undefined) throw malformed(`output \`${name}\` is not binary data`);
    if (at + size > body.byteLength) throw malformed(`the data of output \`${name}\` ends early`);
    const data = new Uint8Array(body, at, size);
    at += size;
    return { name, dtype: datatype, shape: shape.map(Number), data };
  });
};

const parse = (bytes) => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw malformed(String(cause), cause);
  }
};

const malformed = (why, cause) =>
  new ClientError("malformed", `the server's answer cannot be read: ${why}`, { cause, mayHaveRun: true });

const refusal = (path, { response, body }, { deadlineMs }) => {
  const { status } = response;
  const text = errorText(new TextDecoder().decode(body));
  // Triton's words for a request whose `timeout` was up while it waited.
  if (status === 503 && /timeout expired/i.test(text)) return deadlineError(deadlineMs, text);
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ClientError("refused", `${path} answers ${status}: ${text || "without a reason"}`, {
    status,
    mayHaveRun: status !== 429 && status !== 503,
    ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
  });
};

const errorText = (body) => {
  try {
    return String(JSON.parse(body).error ?? body);
  } catch {
    return body.trim().slice(0, 500);
  }
};

/** Node's codes for a connection that never was, so that nothing was sent. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const connectionError = (base, cause, answered) => {
  const { cause: reason } = cause;
  const { code = "", message: words = "" } = reason ?? {};
  const why = words || code || String(cause);
  if (neverConnected.test(code))
    return new ClientError("unreachable", `no server answers at ${base}: ${why}`, { cause });
  if (answered || code !== "")
    return new ClientError("lost", `the connection to ${base} ended before the answer was complete: ${why}`, {
      cause,
      mayHaveRun: true,
    });
  // A browser says no more than this, not even whether something was sent.
  return new ClientError(
    "unreachable",
    `no answer from ${base || "this page's server"}: ${why} (no server is there, it went away, or it does not let this page ask)`,
    { cause, mayHaveRun: true },
  );
};

/**
 * The inputs of a request as they travel, in the contract's order.
 * @throws ClientError `invalid` for names, nesting, sizes and elements that do not fit.
 */
const encodeInputs = (contract, values) => {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new ClientError(
      "invalid",
      `${contract.name} takes an object of inputs: { ${listOf(contract.inputs)} }`,
    );
  const given = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  for (const name of given.keys())
    if (!Object.hasOwn(contract.inputs, name))
      throw new ClientError(
        "invalid",
        `${contract.name} has no input \`${name}\`; its inputs are ${listOf(contract.inputs)}`,
        { tensor: name },
      );
  const sizes = new Map();
  return Object.entries(contract.inputs).flatMap(([name, { dtype, dims, optional }]) => {
    if (given.has(name)) {
      const input = { name, type: { dtype, dims: wireDims(dims) } };
      return [encodeInput(input, given.get(name), sizes)];
    }
    if (optional === true) return [];
    const expected = showType({ dtype, dims });
    throw new ClientError("invalid", `input \`${name}\` of ${contract.name} is missing: ${expected}`, {
      tensor: name,
      expected,
    });
  });
};

const listOf = (signature) =>
  Object.entries(signature)
    .map(([name, type]) => `${name}: ${showType(type)}`)
    .join(", ");

const misfit = ({ name, type }, got) => {
  const expected = showType(type);
  return new ClientError("invalid", `input \`${name}\`: expected ${expected}, got ${got}`, {
    tensor: name,
    expected,
    got,
  });
};

const encodeInput = (input, value, sizes) => {
  const { shape, elements } = isElements(value) ? flat(input, value) : nested(input, value);
  requireSizes(input, shape, sizes);
  return { name: input.name, dtype: input.type.dtype, shape, data: bytesOf(input, shape, elements) };
};

const isElements = (value) =>
  typeof value === "object" && value !== null && "data" in value && "shape" in value;

const isList = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** Elements with their shape; the shape may leave out the size-1 dims after the first. */
const flat = (input, { data, shape }) => {
  const { dims } = input.type;
  const isShape = (x) => Array.isArray(x) && x.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (!isShape(shape)) throw misfit(input, `the shape ${JSON.stringify(shape)}`);
  if (!isList(data)) throw misfit(input, `${wordFor(data)} as \`data\``);
  const kept = nestedDims(dims);
  const full =
    shape.length === dims.length || shape.length !== kept.length
      ? shape
      : dims.map((_, axis) => shape[kept.indexOf(axis)] ?? 1);
  const count = full.reduce((product, size) => product * size, 1);
  if (data.length !== count)
    throw misfit(input, `${data.length} elements for the shape [${shape.join(", ")}], which holds ${count}`);
  return { shape: full, elements: data };
};

const nested = (input, value) => {
  const { dims } = input.type;
  const kept = nestedDims(dims);
  const sizes = kept.map(() => undefined);
  const elements = [];
  const visit = (item, path) => {
    const depth = path.length;
    if (depth === kept.length) {
      elements.push(item);
      return;
    }
    if (!isList(item))
      throw misfit(input, `${wordFor(item)} at ${showPath(input, path)}, where a list belongs`);
    if (sizes[depth] !== undefined && sizes[depth] !== item.length)
      throw misfit(
        input,
        `lists of different lengths: ${showPath(input, path)} has ${item.length}, those before it ${sizes[depth]}`,
      );
    sizes[depth] = item.length;
    for (let index = 0; index < item.length; index++) visit(item[index], [...path, index]);
  };
  visit(value, []);
  const shape = dims.map((dim, axis) => {
    const size = kept.includes(axis) ? sizes[kept.indexOf(axis)] : 1;
    return size ?? (typeof dim === "number" && dim >= 0 ? dim : 0);
  });
  return { shape, elements };
};

/** Literal sizes, and equal sizes where dims have equal names, in all inputs. */
const requireSizes = (input, shape, sizes) => {
  const { dims } = input.type;
  const got = `[${shape.join(", ")}]`;
  if (shape.length !== dims.length) throw misfit(input, got);
  dims.forEach((dim, axis) => {
    const size = shape[axis] ?? 0;
    if (typeof dim === "number") {
      if (dim >= 0 && dim !== size) throw misfit(input, got);
      return;
    }
    const known = sizes.get(dim);
    if (known === undefined) sizes.set(dim, { size, input: input.name });
    else if (known.size !== size)
      throw misfit(input, `${got}: ${dim} is ${size} here and ${known.size} in \`${known.input}\``);
  });
};

const bytesOf = (input, shape, elements) => {
  const { dtype } = input.type;
  if (travelsAsItIs(dtype, elements))
    return new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  if (dtype === "BYTES")
    return packByteStrings(
      Array.from(elements, (element, index) => byteString(input, shape, element, index)),
    );
  const kind = elementKinds[dtype];
  const stored = new kind.array(elements.length);
  for (let index = 0; index < elements.length; index++) {
    const element = kind.store(elements[index]);
    if (element === undefined)
      throw misfit(
        input,
        `${wordFor(elements[index])} at ${showIndex(input, shape, index)}, where ${kind.words} belongs`,
      );
    stored[index] = element;
  }
  return new Uint8Array(stored.buffer);
};

const byteString = (input, shape, element, index) => {
  if (element instanceof Uint8Array) return element;
  if (typeof element !== "string")
    throw misfit(
      input,
      `${wordFor(element)} at ${showIndex(input, shape, index)}, where text or a Uint8Array belongs`,
    );
  const bytes = tryEncodeText(element);
  if (bytes === undefined)
    throw misfit(input, `half a surrogate pair at ${showIndex(input, shape, index)}, which is no text`);
  return bytes;
};

const showPath = ({ name }, path) => `${name}${path.map((index) => `[${index}]`).join("")}`;

/** Where the element stands in nested arrays. */
const showIndex = (input, shape, index) => {
  const path = [];
  let rest = index;
  for (const axis of nestedDims(input.type.dims).toReversed()) {
    const size = shape[axis] ?? 1;
    path.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return showPath(input, path);
};

/** A value that does not belong, in a few words. */
const wordFor = (value) => {
  if (typeof value === "string") return value.length > 24 ? "text" : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  return String(value);
};

/**
 * The wanted outputs by name.
 * @throws ClientError `malformed` where one is missing, is not what the contract says, or is no text and was not asked for raw.
 */
const decodeOutputs = (contract, { outputs, raw }, answer) => {
  const byName = new Map(answer.map((tensor) => [tensor.name, tensor]));
  return Object.fromEntries(
    outputs.map((name) => {
      const declared = contract.outputs[name];
      const tensor = byName.get(name);
      if (declared === undefined || tensor === undefined)
        throw new ClientError("malformed", `the answer of ${contract.name} has no output \`${name}\``, {
          tensor: name,
          mayHaveRun: true,
        });
      const type = { ...declared, dims: wireDims(declared.dims) };
      requireType(type, tensor);
      return [name, decode(type, tensor, raw.includes(name))];
    }),
  );
};

const unreadable = (tensor, got, expected) =>
  new ClientError("malformed", `output \`${tensor.name}\`: expected ${expected}, got ${got}`, {
    tensor: tensor.name,
    expected,
    got,
    mayHaveRun: true,
  });

const requireType = (type, tensor) => {
  const { dtype, shape } = tensor;
  const fits =
    dtype === type.dtype &&
    shape.length === type.dims.length &&
    type.dims.every((dim, axis) => typeof dim === "string" || dim < 0 || dim === shape[axis]);
  if (!fits) throw unreadable(tensor, showType({ dtype, dims: shape }), showType(type));
};

const decode = (type, tensor, raw) => {
  const { shape } = tensor;
  const count = shape.reduce((product, size) => product * size, 1);
  if (raw) return { dtype: "BYTES", shape, data: byteStrings(tensor, count) };
  const data = type.dtype === "BYTES" ? texts(tensor, count) : numbers(type.dtype, tensor, count);
  return {
    dtype: type.dtype,
    shape,
    data,
    toArray: () =>
      nest(
        data,
        nestedDims(type.dims).map((axis) => shape[axis] ?? 1),
      ),
  };
};

const byteStrings = (tensor, count) => {
  const elements = unpackByteStrings(tensor.data, count);
  if (elements === undefined)
    throw unreadable(
      tensor,
      `${tensor.data.byteLength} bytes that hold no such list`,
      `${count} byte strings`,
    );
  return elements;
};

const texts = (tensor, count) =>
  byteStrings(tensor, count).map((element, index) => {
    const text = tryDecodeText(element);
    if (text !== undefined) return text;
    const { name } = tensor;
    throw new ClientError(
      "malformed",
      `output \`${name}\`: element ${index} is not UTF-8; ask for its bytes with { raw: [${JSON.stringify(name)}] }`,
      { tensor: name, expected: "UTF-8", mayHaveRun: true },
    );
  });

/** Shares memory with the answer where its elements are aligned. */
const numbers = (dtype, tensor, count) => {
  const kind = elementKinds[dtype];
  const { buffer, byteOffset, byteLength } = tensor.data;
  if (byteLength !== count * kind.byteSize)
    throw unreadable(tensor, `${byteLength} bytes`, `${count * kind.byteSize} bytes`);
  const aligned = byteOffset % kind.byteSize === 0;
  const stored = aligned
    ? new kind.array(buffer, byteOffset, count)
    : new kind.array(buffer.slice(byteOffset, byteOffset + byteLength), 0, count);
  return kind.load?.(stored) ?? stored;
};

const nest = (data, sizes) => {
  const elements = data;
  const build = (depth, start, end) => {
    if (depth === sizes.length) return elements[start];
    const size = sizes[depth] ?? 0;
    const step = size === 0 ? 0 : (end - start) / size;
    return Array.from({ length: size }, (_, index) =>
      build(depth + 1, start + index * step, start + (index + 1) * step),
    );
  };
  return build(0, 0, elements.length);
};

const scratch = new DataView(new ArrayBuffer(4));

/** IEEE 754 binary16 bits → number. */
const halfToNumber = (bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

/** Number → IEEE 754 binary16 bits, rounded to nearest, ties to even. */
const numberToHalf = (value) => {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundHalfEven(magnitude * 2 ** 24);
  const exponent = Math.floor(Math.log2(magnitude));
  const exact = magnitude < 2 ** exponent ? exponent - 1 : exponent;
  return sign | (((exact + 15) << 10) + roundHalfEven((magnitude / 2 ** exact - 1) * 1024));
};

const roundHalfEven = (x) => {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
};

/** bfloat16 bits → number. */
const bfloat16ToNumber = (bits) => {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
};

/** Number → bfloat16 bits, rounded to nearest, ties to even. */
const numberToBfloat16 = (value) => {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
};

const integer = (array, byteSize, min, max) => ({
  array,
  byteSize,
  words: `an integer from ${min} to ${max}`,
  store: (x) => (typeof x === "number" && Number.isInteger(x) && x >= min && x <= max ? x : undefined),
});

const wide = (array, min, max) => ({
  array,
  byteSize: 8,
  words: `a bigint or safe integer from ${min} to ${max}`,
  store: (x) => {
    const exact = typeof x === "number" && Number.isSafeInteger(x) ? BigInt(x) : x;
    return typeof exact === "bigint" && exact >= min && exact <= max ? exact : undefined;
  },
});

const float = (dtype, array, round) => ({
  array,
  byteSize: array === Float64Array ? 8 : 4,
  words: `a number that ${dtype} can hold`,
  store: (x) => (typeof x === "number" && (Number.isFinite(round(x)) || !Number.isFinite(x)) ? x : undefined),
});

/** Two bytes on the wire, a Float32Array in JavaScript. */
const narrow = (dtype, toBits, toNumber) => ({
  array: Uint16Array,
  byteSize: 2,
  words: `a number that ${dtype} can hold`,
  store: (x) => {
    if (typeof x !== "number") return undefined;
    const bits = toBits(x);
    return Number.isFinite(toNumber(bits)) || !Number.isFinite(x) ? bits : undefined;
  },
  load: (stored) => Float32Array.from(stored, toNumber),
});

/** Every dtype whose elements have one size. */
const elementKinds = {
  BOOL: {
    array: Uint8Array,
    byteSize: 1,
    words: "true or false",
    store: (x) => (typeof x === "boolean" ? Number(x) : undefined),
    load: (stored) => Array.from(stored, (x) => x !== 0),
  },
  UINT8: integer(Uint8Array, 1, 0, 255),
  UINT16: integer(Uint16Array, 2, 0, 65_535),
  UINT32: integer(Uint32Array, 4, 0, 4_294_967_295),
  UINT64: wide(BigUint64Array, 0n, 2n ** 64n - 1n),
  INT8: integer(Int8Array, 1, -128, 127),
  INT16: integer(Int16Array, 2, -32_768, 32_767),
  INT32: integer(Int32Array, 4, -2_147_483_648, 2_147_483_647),
  INT64: wide(BigInt64Array, -(2n ** 63n), 2n ** 63n - 1n),
  FP16: narrow("FP16", numberToHalf, halfToNumber),
  BF16: narrow("BF16", numberToBfloat16, bfloat16ToNumber),
  FP32: float("FP32", Float32Array, Math.fround),
  FP64: float("FP64", Float64Array, (x) => x),
};

/** Typed arrays that travel without a look at their elements. */
const travelsAsItIs = (dtype, data) =>
  dtype !== "BYTES" &&
  dtype !== "BOOL" &&
  elementKinds[dtype].load === undefined &&
  ArrayBuffer.isView(data) &&
  data[Symbol.toStringTag] === elementKinds[dtype].array.name;

const encoder = new TextEncoder();

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** BYTES on the wire: each element a little-endian uint32 length and that many bytes. */
const packByteStrings = (elements) => {
  const packed = new Uint8Array(elements.reduce((size, element) => size + 4 + element.byteLength, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const element of elements) {
    view.setUint32(at, element.byteLength, true);
    packed.set(element, at + 4);
    at += 4 + element.byteLength;
  }
  return packed;
};

/** The elements, which share memory with `packed`; undefined where it does not hold exactly `count` of them. */
const unpackByteStrings = (packed, count) => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const elements = [];
  let at = 0;
  while (at + 4 <= packed.byteLength && elements.length < count) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > packed.byteLength) return undefined;
    elements.push(packed.subarray(at + 4, end));
    at = end;
  }
  return at === packed.byteLength && elements.length === count ? elements : undefined;
};

/** Text → UTF-8; undefined where it holds half a surrogate pair, which is no text. */
const tryEncodeText = (text) => (/\p{Surrogate}/u.test(text) ? undefined : encoder.encode(text));

/** UTF-8 → text; undefined where the bytes are not UTF-8. */
const tryDecodeText = (bytes) => {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
};

/** The parameter of an ensemble's configuration that has the contract's hash. */
const hashParameter = "tritype_contract";

/** What a ModelConfig in JSON says a client may send and gets. @throws ClientError `malformed`. */
const readModelConfig = (answer) =>
  reading("configuration", () => {
    const config = object(answer);
    const batched = Number(config["max_batch_size"] ?? 0) > 0;
    const side = (tensors) =>
      Object.fromEntries(
        list(tensors).map((tensor) => {
          const { name, data_type: type, dims, optional } = object(tensor);
          const dtype = dtypeOf(type === "TYPE_STRING" ? "BYTES" : String(type).replace(/^TYPE_/, ""));
          const sizes = list(dims).map(Number);
          return [
            String(name),
            {
              dtype,
              dims: batched ? ["batch", ...sizes] : sizes,
              ...(optional === true ? { optional } : {}),
            },
          ];
        }),
      );
    const hash = object(object(config["parameters"])[hashParameter])["string_value"];
    return {
      name: String(config["name"]),
      inputs: side(config["input"]),
      outputs: side(config["output"]),
      ...(typeof hash === "string" ? { hash } : {}),
    };
  });

/** What KServe's metadata say; they do not know which inputs are optional. @throws ClientError `malformed`. */
const readModelMetadata = (answer) =>
  reading("metadata", () => {
    const { name, inputs, outputs } = object(answer);
    const side = (tensors) =>
      Object.fromEntries(
        list(tensors).map((tensor) => {
          const { name, datatype, shape } = object(tensor);
          return [String(name), { dtype: dtypeOf(String(datatype)), dims: list(shape).map(Number) }];
        }),
      );
    return { name: String(name), inputs: side(inputs), outputs: side(outputs) };
  });

const reading = (what, read) => {
  try {
    return read();
  } catch (cause) {
    throw new ClientError("malformed", `the server's ${what} of the model cannot be read: ${String(cause)}`, {
      cause,
    });
  }
};

const dtypeOf = (name) => {
  if (name !== "BYTES" && !Object.hasOwn(elementKinds, name))
    throw new TypeError(`no datatype is called ${name}`);
  return name;
};

const object = (value = {}) => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError("an object is missing");
  return value;
};

const list = (value = []) => {
  if (!Array.isArray(value)) throw new TypeError("a list is missing");
  return value;
};

/** Every way in which a server's ensemble would break a client: what it sends is refused, or what it gets is not what it was told. */
const compareContracts = (own, server) => [
  ...compare("input", own.inputs, server.inputs),
  ...compare("output", own.outputs, server.outputs),
];

/** The error that lists the differences. */
const contractError = (name, differences) =>
  new ClientError(
    "contract",
    [
      `the server's \`${name}\` is not the one this client was made for:`,
      ...differences.map(
        ({ side, tensor, expected, got }) =>
          `  ${side} \`${tensor}\`: ${expected === undefined ? "unknown to this client" : `expected ${expected}`}, ${got === undefined ? "not on the server" : `the server has ${got}`}`,
      ),
      "make the client again from the pipeline that the server serves, or serve the build that this client came with",
    ].join("\n"),
    { differences },
  );

const compare = (side, own, server) => [
  ...Object.entries(own).flatMap(([tensor, type]) => {
    const theirs = server[tensor];
    const fits = theirs !== undefined && (side === "input" ? accepts(theirs, type) : accepts(type, theirs));
    const required = side === "input" && type.optional === true && theirs?.optional !== true;
    return fits && !required
      ? []
      : [{ side, tensor, expected: show(type), got: theirs === undefined ? undefined : show(theirs) }];
  }),
  ...Object.entries(server).flatMap(([tensor, type]) =>
    // Outputs that are new, and inputs that may be left out, break nobody.
    side === "output" || Object.hasOwn(own, tensor) || type.optional === true
      ? []
      : [{ side, tensor, expected: undefined, got: show(type) }],
  ),
];

const show = (type) =>
  `${showType({ ...type, dims: wireDims(type.dims) })}${type.optional === true ? " (optional)" : ""}`;

/** Whether whatever has the type `given` also has the type `wanted`. */
const accepts = (wanted, given) => {
  const [want, give] = [wireDims(wanted.dims), wireDims(given.dims)];
  return (
    wanted.dtype === given.dtype &&
    want.length === give.length &&
    want.every((dim, axis) => isOpen(dim) || dim === give[axis])
  );
};

const isOpen = (dim) => typeof dim === "string" || dim < 0;

/**
 * Work that the first call starts and all calls wait for. It is done once; after a failure, or when everybody who waited has given
 * up, the next call starts it anew.
 */
const onFirstUse = (work) => {
  let run;
  const start = () => {
    const controller = new AbortController();
    const started = { result: work(controller.signal), controller, waiting: 0, done: false };
    const forget = () => {
      if (run === started) run = undefined;
    };
    started.result.then(() => (started.done = true), forget);
    return started;
  };
  return async (scope) => {
    const mine = (run ??= start());
    mine.waiting++;
    try {
      return await scope.race(mine.result);
    } finally {
      mine.waiting--;
      if (mine.waiting === 0 && !mine.done) {
        mine.controller.abort();
        if (run === mine) run = undefined;
      }
    }
  };
};

/** Full jitter: anything up to 100 ms, 200 ms, 400 ms, …, at most 5 s. */
const jitteredBackoff = (retry) => Math.random() * Math.min(5_000, 50 * 2 ** retry);

/** Sends until it works, the policy says no, or the time is up. */
const withRetries = async (send, { retries, backoff, idempotent }, scope) => {
  for (let retry = 1; ; retry++) {
    try {
      return await send();
    } catch (error) {
      if (retry > retries || !isSafe(error, idempotent)) throw error;
      const wait = Math.max(backoff(retry), error.retryAfterMs ?? 0);
      // Without time for another try, the reason is more use than the deadline.
      if (wait >= (scope.remainingMs() ?? Infinity)) throw error;
      await scope.race(new Promise((resolve) => setTimeout(resolve, wait)));
    }
  }
};

/** Refusals that come before anything is executed. */
const notExecuted = [429, 503, "UNAVAILABLE", "RESOURCE_EXHAUSTED"];

/** A gateway's word that it knows nothing of what happened behind it. */
const gatewayFailure = [502, 504];

const isSafe = ({ kind, status, mayHaveRun }, idempotent) => {
  if (kind === "refused")
    return notExecuted.includes(status) || (idempotent && gatewayFailure.includes(status));
  return (kind === "unreachable" || kind === "lost") && (idempotent || !mayHaveRun);
};

/** setTimeout takes no more. */
const longestTimer = 2 ** 31 - 1;

/** @throws ClientError `invalid` for a deadline that is none; `cancelled` where the signal is aborted already. */
const openScope = (signal, deadlineMs) => {
  if (deadlineMs !== undefined && !(deadlineMs > 0))
    throw new ClientError(
      "invalid",
      `deadlineMs must be a number of milliseconds above 0, got ${deadlineMs}`,
    );
  const controller = new AbortController();
  const end = deadlineMs === undefined ? undefined : performance.now() + deadlineMs;
  let error;
  const stop = (reason) => {
    error ??= reason;
    controller.abort(error);
  };
  const cancel = () =>
    stop(
      new ClientError("cancelled", "the caller cancelled the request", {
        cause: signal?.reason,
        mayHaveRun: true,
      }),
    );
  if (signal?.aborted)
    throw new ClientError("cancelled", "the caller's signal is aborted already", { cause: signal.reason });
  signal?.addEventListener("abort", cancel, { once: true });
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(() => stop(deadlineError(deadlineMs)), Math.min(deadlineMs, longestTimer));
  return {
    signal: controller.signal,
    deadlineMs,
    remainingMs: () => (end === undefined ? undefined : Math.max(0, end - performance.now())),
    ended: () => error,
    race: (promise) =>
      new Promise((resolve, reject) => {
        const onAbort = () => reject(controller.signal.reason);
        if (controller.signal.aborted) onAbort();
        controller.signal.addEventListener("abort", onAbort, { once: true });
        promise.then(resolve, reject).finally(() => controller.signal.removeEventListener("abort", onAbort));
      }),
    close: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    },
  };
};

/** The time was up: this process's, or the server's own. */
export const deadlineError = (deadlineMs, cause) =>
  new ClientError(
    "deadline",
    deadlineMs === undefined ? "the request's time was up" : `no answer within ${deadlineMs} ms`,
    { cause, mayHaveRun: true },
  );
