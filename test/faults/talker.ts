import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/**
 * A decoupled model. `X` contains the number of messages for a request, their size in bytes, and the pause between them in ms; each request
 * has its own thread. With 0 messages, the answer reports on all requests so far.
 */
const talker = `
import json
import os
import sys
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


def message(text):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([text.encode()], dtype=object))])


class TritonPythonModel:
    def initialize(self, args):
        self.lock = threading.Lock()
        # Python hands over its lock after 5 ms: with hundreds of threads, the one that reads requests would wait for a second.
        sys.setswitchinterval(0.0002)
        self.told = {"pid": os.getpid(), "open": 0, "cancelled": 0, "finished": 0, "messages": 0}

    def count(self, **changes):
        with self.lock:
            for name, change in changes.items():
                self.told[name] += change

    def execute(self, requests):
        for request in requests:
            count, size, pause = (int(n) for n in pb_utils.get_input_tensor_by_name(request, "X").as_numpy())
            sender = request.get_response_sender()
            if count == 0:
                sender.send(message(json.dumps(self.told)), FINAL)
                continue
            self.count(open=1)
            threading.Thread(target=self.talk, args=(sender, count, size, pause), daemon=True).start()

    def talk(self, sender, count, size, pause):
        how = "finished"
        for number in range(count):
            if sender.is_cancelled():
                how = "cancelled"
                break
            sender.send(message(str(number).ljust(size)))
            self.count(messages=1)
            time.sleep(pause / 1000)
        # Counted first, because the model may be unloaded as soon as its last request has ended.
        self.count(open=-1, **{how: 1})
        sender.send(flags=FINAL)

    def finalize(self):
        print("finalized with", self.told["open"], "open")
`;

export const talkerFiles: Files = {
  "talker/config.pbtxt": `name: "talker" backend: "python"
input { name: "X" data_type: TYPE_INT32 dims: [ 3 ] }
output { name: "Y" data_type: TYPE_STRING dims: [ 1 ] }
model_transaction_policy { decoupled: true }
`,
  "talker/1/model.py": talker,
};

/** The model's report for 0 messages. */
export interface Told {
  readonly pid: number;
  readonly open: number;
  readonly cancelled: number;
  readonly finished: number;
  readonly messages: number;
}
