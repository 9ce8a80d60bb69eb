import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { onnxJudgedModels } from "../judged-models.ts";

const names = ["sum", "sum_twice", "echo_fp16", "echo_int32", "echo_bytes"];

/** The judged models whose tensors the tests put into shared memory. */
export const memoryModels = (): Files =>
  Object.fromEntries(
    Object.entries(onnxJudgedModels()).filter(([path]) => names.includes(path.split("/")[0] ?? "")),
  );
