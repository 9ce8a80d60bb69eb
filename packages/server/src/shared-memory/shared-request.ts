import { foreignError, printRawData, type TensorData } from "@tritype/core";
import {
  type InferRequest,
  type InferResponse,
  noSharedTensors,
  type RegionPart,
  type SharedTensors,
  type Steps,
} from "@tritype/protocol";
import type { CancelSignal, Runtime } from "@tritype/runtime";
import { serverError } from "../errors.ts";
import { inSlices } from "../in-slices.ts";
import type { Region, Regions } from "./regions.ts";

/** The tensors of one request in shared memory. */
export interface SharedRequest {
  /** Passed to the code that reads the request. */
  readonly tensors: SharedTensors;
  /** The request with its inputs read from the regions. @throws PipelineError if they cannot be read. */
  withInputs(request: InferRequest, signal: CancelSignal): InferRequest | Promise<InferRequest>;
  /**
   * Writes the outputs of one response that belong in regions; returns their names.
   * @throws PipelineError with Triton's message for an output that does not fit.
   */
  writeOutputs(
    response: InferResponse,
    signal: CancelSignal,
  ): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Ends the use of its regions. */
  end(): void;
}

/** The tensors in shared memory of a new request. Its regions cannot be unregistered until `end` is called. */
export const openSharedRequest = (
  regions: Regions,
  runtime: Pick<Runtime, "modelMetadata">,
): SharedRequest => (regions.isEmpty() ? unshared : openWithRegions(regions, runtime));

const unshared: SharedRequest = {
  tensors: noSharedTensors,
  withInputs: (request) => request,
  writeOutputs: () => none,
  end: () => {},
};
const none: ReadonlySet<string> = new Set();

const openWithRegions = (regions: Regions, runtime: Pick<Runtime, "modelMetadata">): SharedRequest => {
  const used: Region[] = [];
  const use = (part: RegionPart): Place => {
    const region = regions.use(part);
    used.push(region);
    return { region, at: region.offset + part.offset, size: part.byteSize };
  };
  const inputs = new Map<string, { readonly place: Place; readonly read: ReadInput }>();
  const outputs = new Map<string, Place>();
  return {
    tensors: {
      input: (name, part, read) => void inputs.set(name, { place: use(part), read }),
      // As in Triton, the first of two outputs with the same name counts.
      output: (name, part) => {
        const place = use(part);
        if (!outputs.has(name)) outputs.set(name, place);
      },
    },
    withInputs: async (request, signal) => {
      if (inputs.size === 0) return request;
      const complete = new Map(request.inputs);
      for (const [name, { place, read }] of inputs)
        complete.set(name, await inSlices(read(await readPlace(place, signal)), place.size, signal));
      return { ...request, inputs: complete };
    },
    writeOutputs: async (response, signal) => {
      const placed = [...response.outputs].flatMap(([name, tensor]) => {
        const place = outputs.get(name);
        return place === undefined ? [] : [{ name, place, bytes: printRawData(tensor) }];
      });
      for (const { name, place, bytes } of placed)
        if (bytes.byteLength > place.size) throw noRoom(runtime, response, name, place, bytes);
      for (const { place, bytes } of placed) await writePlace(place, bytes, signal);
      return new Set(placed.map(({ name }) => name));
    },
    end: () => {
      for (const region of used.splice(0)) region.uses--;
    },
  };
};

type ReadInput = (bytes: Uint8Array) => Steps<TensorData>;

/** Part of the file of a region. */
interface Place {
  readonly region: Region;
  readonly at: number;
  readonly size: number;
}

/** Number of bytes that one system call moves: calls of other requests run in between. */
const largestBlock = 2 ** 24;
/** The largest number of bytes that Node can hold in one array. */
const longestTensor = 2 ** 32;

const readPlace = async ({ region, at, size }: Place, signal: CancelSignal): Promise<Uint8Array> => {
  if (size > longestTensor)
    throw foreignError(
      "request/too-large",
      `a tensor in shared memory has ${size} bytes; this server can hold ${longestTensor}`,
    );
  const bytes = new Uint8Array(size);
  for (let done = 0; done < size; ) {
    const length = Math.min(largestBlock, size - done);
    const { bytesRead } = await accessed(region, signal, () =>
      region.file.read(bytes, done, length, at + done),
    );
    if (bytesRead === 0) throw shrunk(region);
    done += bytesRead;
  }
  return bytes;
};

const writePlace = async ({ region, at }: Place, bytes: Uint8Array, signal: CancelSignal): Promise<void> => {
  // A write beyond the end of the file would enlarge it.
  const { size } = await accessed(region, signal, () => region.file.stat());
  if (at + bytes.byteLength > size) throw shrunk(region);
  for (let done = 0; done < bytes.byteLength; ) {
    const length = Math.min(largestBlock, bytes.byteLength - done);
    const { bytesWritten } = await accessed(region, signal, () =>
      region.file.write(bytes, done, length, at + done),
    );
    done += bytesWritten;
  }
};

const accessed = async <T>({ name }: Region, signal: CancelSignal, call: () => Promise<T>): Promise<T> => {
  if (signal.aborted) throw foreignError("request/cancelled", "Request was cancelled");
  try {
    return await call();
  } catch (cause) {
    throw serverError("region/not-accessible", { name, why: (cause as Error).message }, { cause });
  }
};

const shrunk = ({ name }: Region): Error => serverError("region/shrunk", { name });

/** An ensemble's own outputs fail inside the ensemble, as Triton's message shows. */
const noRoom = (
  runtime: Pick<Runtime, "modelMetadata">,
  { model, version }: InferResponse,
  output: string,
  { size }: Place,
  { byteLength }: Uint8Array,
): Error => {
  const prefix =
    runtime.modelMetadata(model, version).platform === "ensemble" ? `in ensemble '${model}', ` : "";
  return foreignError(
    "request/malformed",
    `${prefix}shared memory size specified with the request for output '${output}' (${size} bytes) should be at least ${byteLength} bytes to hold the results`,
  );
};
