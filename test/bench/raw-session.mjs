// ONNX Runtime without Tritype: on this thread, and (as this file's worker) on another.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import ort from "onnxruntime-node";

/** The runtime's session options. */
const options = {
  executionProviders: ["cpu"],
  intraOpNumThreads: availableParallelism(),
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  logSeverityLevel: 4,
};

/** A session on this thread: `run(feeds)` with feeds { name: [type, typed array, dims] } returns tensors. */
export const openHere = async (file) => {
  const session = await ort.InferenceSession.create(file, options);
  return { run: (feeds) => session.run(tensorsOf(feeds)), close: () => session.release() };
};

/** A session on a separate thread; large memory is transferred, as in the runtime. */
export const openInWorker = async (file) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { file } });
  const answer = () => new Promise((resolve) => worker.once("message", resolve));
  await answer();
  return {
    run: (feeds) => {
      const own = Object.fromEntries(
        Object.entries(feeds).map(([name, [type, data, dims]]) => [name, [type, data.slice(), dims]]),
      );
      worker.postMessage(own, transferOf(Object.values(own)));
      return answer();
    },
    close: async () => {
      worker.postMessage(undefined, []);
      await new Promise((resolve) => worker.once("exit", resolve));
    },
  };
};

const tensorsOf = (feeds) =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, [type, data, dims]]) => [name, new ort.Tensor(type, data, dims)]),
  );
const transferOf = (tensors) =>
  tensors.map(([, data]) => data.buffer).filter((buffer) => buffer.byteLength >= 16_384);

if (!isMainThread && typeof workerData?.file === "string") {
  const session = await openHere(workerData.file);
  parentPort.on("message", async (feeds) => {
    if (feeds === undefined) {
      await session.close();
      parentPort.close();
      return;
    }
    const made = Object.entries(await session.run(feeds)).map(([name, tensor]) => [
      name,
      [tensor.type, tensor.data, tensor.dims],
    ]);
    parentPort.postMessage(Object.fromEntries(made), transferOf(made.map(([, tensor]) => tensor)));
  });
  parentPort.postMessage("ready", []);
}
