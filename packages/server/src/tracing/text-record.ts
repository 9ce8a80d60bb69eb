import type { TensorData } from "@tritype/core";
import { monotonicNs } from "./moments.ts";
import { tensorText } from "./tensor-text.ts";
import type { TraceRecord } from "./trace-record.ts";

/**
 * A record in Triton's JSON: objects without the brackets of an array, grouped by request. As in Triton, the groups of
 * later requests come first.
 * @param write Called with the text at the end; "" if there is none.
 */
export const createTextRecord = (write: (text: string) => void): TraceRecord => {
  const groups = new Map<number, string[]>();
  const add = (id: number, text: string): void => {
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [text]);
    else group.push(text);
  };
  return {
    contextOf: () => undefined,
    request: (id, parent, { model, version, id: requestId }) =>
      add(
        id,
        [
          `{"id":${id},"model_name":${JSON.stringify(model)},"model_version":${version}`,
          ...(requestId === "" ? [] : [`"request_id":${JSON.stringify(requestId)}`]),
          ...(parent === 0 ? [] : [`"parent_id":${parent}`]),
        ].join() + "}",
      ),
    activity: (id, name, at) =>
      add(id, `{"id":${id},"timestamps":[{"name":"${name}","ns":${monotonicNs(at)}}]}`),
    tensor: (id, activity, name, tensor) =>
      add(id, `{"id":${id},"activity":"${activity}","tensor":${printTensor(name, tensor)}}`),
    end: () => write([...groups.values()].toReversed().flat().join()),
  };
};

const printTensor = (name: string, tensor: TensorData): string =>
  JSON.stringify({ name, data: tensorText(tensor), shape: tensor.shape.join(), dtype: tensor.dtype });
