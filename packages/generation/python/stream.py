import template

"""Token ids to token ids, which are sent as they are generated: the rows of all requests run together, and join and leave at any step.

generate.json next to this file says which tensors the model has, and gives the defaults of a request.
"""

import json
import sys
import threading
if template.hold_errors:
    import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from answers import Row
from decoding import open_search
from loop import JoiningDecoder, Loop
if template.text:
    from pieces import Pieces
    from rows import InvalidRequest, read_rows, tensor
else:
    from rows import InvalidRequest, read_rows
from sessions import open_sessions
if template.text:
    from tokenizers import Tokenizer


# By default a Python thread runs for 5 ms while others wait, so the loop would delay requests and responses at every step.
sys.setswitchinterval(0.0002)


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(__file__).parent
        self.options = json.loads((folder / "generate.json").read_text())
        exported = self.options["exported"]
        config = json.loads(args["model_config"])
        threads = config.get("parameters", {}).get("intra_op_thread_count", {}).get("string_value", "0")
        sessions = open_sessions(exported, folder, int(threads))
        if template.text:
            self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.places = threading.Semaphore(config["max_batch_size"])
        # One thread for each row, so that a client that does not read only delays its own responses.
        self.threads = ThreadPoolExecutor(config["max_batch_size"], "answers")
        self.loop = Loop(lambda: JoiningDecoder(exported, sessions, self.options["pad"]))

    def execute(self, requests):
        """Passes the requests to the loop. While all slots are taken, these requests wait here and later ones in Triton's queue."""
        for request in requests:
            self.places.acquire()
            row = Row(request, self.options["step"], self.threads, self.places.release)
            try:
                self.read(request, row)
            except Exception as error:
                if template.hold_errors:
                    time.sleep(0.01)  # Triton before 26.05 may crash when a step fails before the parallel ones have started
                row.fail(error)
            else:
                self.loop.add(row)

    def read(self, request, row):
        rows = read_rows(request, self.options)
        if len(rows) != 1:
            raise InvalidRequest(f"the request has {len(rows)} rows; a streaming step takes one, so send each on its own")
        row.search = open_search(*rows[0])
        if template.text:
            row.pieces = Pieces(self.tokenizer, self.options["text"], self.read_stop(request))

    if template.text:

        def read_stop(self, request):
            """The stop strings of the row."""
            said = tensor(request, "stop") if "stop" in self.options["perRequest"] else None
            if said is None:
                return self.options["text"]["stop"]
            try:
                texts = [text.decode("utf-8") for text in said[0].tolist()]
            except UnicodeDecodeError:
                raise InvalidRequest("row 0 of stop is not valid UTF-8") from None
            if "" in texts:
                raise InvalidRequest("row 0 of stop contains an empty string, and every text begins with one")
            return texts

    def finalize(self):
        self.loop.close()
        self.threads.shutdown()
