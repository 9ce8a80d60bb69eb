import template

"""Token ids to token ids: the loop around an exported encoder-decoder or decoder, for all waiting requests together.

generate.json next to this file says which tensors the model has, and gives the defaults of a request.
"""

import json
import time
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from decoding import generate, open_search
from rows import InvalidRequest, read_rows
from sessions import Decoder, open_sessions


ASK_AGAIN = 0.01  # seconds; each check is a round trip to the server, and a step of a large model takes longer


class Job:
    """A request, with the prompts and searches of its rows, or its error."""

    def __init__(self, request):
        self.request = request
        self.rows = []
        self.searches = []
        self.failure = None
        # A short generation ends before its first check.
        self.goes_on, self.asked = True, time.monotonic()

    def is_wanted(self):
        """Whether the client is still waiting. Called before every step, but asks the server at most once per ASK_AGAIN."""
        now = time.monotonic()
        if self.goes_on and now - self.asked >= ASK_AGAIN:
            self.goes_on, self.asked = not self.request.is_cancelled(), now
        return self.goes_on and self.failure is None

    def open(self):
        self.searches = [open_search(*row) for row in self.rows]

    def fail(self, text, code):
        self.failure = pb_utils.InferenceResponse(error=pb_utils.TritonError(text, code))


if template.hold_errors:
    from shared import hold_errors


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(__file__).parent
        self.options = json.loads((folder / "generate.json").read_text())
        self.exported = self.options["exported"]
        config = json.loads(args["model_config"])
        self.declared = {output["name"]: output for output in config["output"]}
        threads = config.get("parameters", {}).get("intra_op_thread_count", {}).get("string_value", "0")
        self.sessions = open_sessions(self.exported, folder, int(threads))

    @template.hold_errors(hold_errors)
    def execute(self, requests):
        jobs = [Job(request) for request in requests]
        for job in jobs:
            self.read(job)
        self.search([job for job in jobs if job.failure is None])
        return [self.respond(job) for job in jobs]

    def read(self, job):
        try:
            job.rows = read_rows(job.request, self.options)
        except Exception as error:
            invalid = isinstance(error, InvalidRequest)
            code = pb_utils.TritonError.INVALID_ARG if invalid else pb_utils.TritonError.INTERNAL
            job.fail(f"{self.options['step']}: {error}", code)

    def search(self, jobs):
        """Runs all rows together. If that fails, requests run one by one, so that none fails because of another's rows."""
        try:
            for job in jobs:
                job.open()
            for group in self.groups([(search, job) for job in jobs for search in job.searches]):
                decoder = Decoder(self.exported, self.sessions, self.options["pad"])
                generate(decoder, group, Job.is_wanted, self.fail)
        except Exception as error:
            if len(jobs) == 1:
                self.fail(jobs[0], error)
                return
            for job in jobs:
                self.search([job])

    def fail(self, job, error):
        job.fail(f"{self.options['step']}: {error}", pb_utils.TritonError.INTERNAL)

    def groups(self, rows):
        """Groups of rows that run together: all rows, or those of one length if the model treats padding as tokens."""
        if self.exported["padded"]:
            return [rows] if rows else []
        groups = {}
        for search, job in rows:
            groups.setdefault(len(search.prompt), []).append((search, job))
        return list(groups.values())

    def respond(self, job):
        step = self.options["step"]
        if job.failure is None and not job.is_wanted():
            job.fail(f"{step}: the request was cancelled", pb_utils.TritonError.CANCELLED)
        if job.failure is not None:
            return job.failure
        try:
            made = self.outputs(job.searches)
            names = job.request.requested_output_names()
            return pb_utils.InferenceResponse([self.declare(name, made[name]) for name in names])
        except Exception as error:  # a failure only affects its own request
            self.fail(job, error)
            return job.failure

    def outputs(self, searches):
        """The outputs tokens [rows, sequences, longest] and scores [rows, sequences]. Shorter sequences are padded at the end."""
        found = [search.results() for search in searches]
        several = self.options["settings"].get("num_return_sequences", 1)
        longest = max((len(tokens) for row in found for tokens, _ in row), default=0)
        ids = np.full([len(found), several, longest], self.options["pad"], np.int64)
        scores = np.zeros([len(found), several], np.float32)
        for row, results in enumerate(found):
            for place, (tokens, score) in enumerate(results):
                ids[row, place, : len(tokens)] = tokens
                scores[row, place] = score
        return {"sequences": ids, "scores": scores}

    def declare(self, name, values):
        """A tensor with the dtype and rank that config.pbtxt declares: a single sequence per row has no separate dim."""
        output = self.declared[name]
        if values.ndim - 1 > len(output["dims"]):
            values = values[:, 0]
        return pb_utils.Tensor(name, values.astype(pb_utils.triton_string_to_numpy(output["data_type"])))
