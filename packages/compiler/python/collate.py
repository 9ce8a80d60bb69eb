import template

"""Texts to answers: tokenizes all waiting texts and calls the next model once per group of similar lengths."""

import json
if template.hold_errors:
    import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

STEP = template.step  # name of the tokenizer, for messages
BEHIND = template.behind  # the ensemble that answers a group
MAX_BATCH = template.max_batch  # rows of a group
MAX_WASTE = template.max_waste  # share of a group's tokens that may be padding because its rows differ in length
MAX_LENGTH = template.max_length  # tokens per row, including special tokens
if template.prefix:
    PREFIX = template.prefix  # added in front of every text
if template.multiple_of:
    MULTIPLE_OF = template.multiple_of  # padded lengths are multiples of this
if template.buckets:
    BUCKETS = template.buckets  # padded lengths
PAD = template.pad
DTYPE = template.dtype
FIELDS = template.fields


from shared import InvalidRequest


class Job:
    """A request, with its rows or its error."""

    def __init__(self, request):
        self.request = request
        self.outputs = list(request.requested_output_names())
        self.rows = []
        self.failure = None

    def fail(self, text, code):
        self.failure = pb_utils.InferenceResponse(error=pb_utils.TritonError(text, code))


class Row:
    """The tokens of a text, and later the next model's results for it."""

    def __init__(self, job, encoding):
        self.job = job
        self.encoding = encoding
        self.length = padded_length(len(encoding))
        self.answer = {}


if template.hold_errors:
    from shared import hold_errors


class TritonPythonModel:
    def initialize(self, args):
        self.tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
        # Truncation and padding settings in the file are ignored.
        if template.truncates:
            self.tokenizer.enable_truncation(
                MAX_LENGTH, stride=0, strategy=template.strategy, direction=template.direction
            )
        else:
            self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        # Without this, the outputs of a model on a GPU would stay in the GPU's memory.
        self.on_cpu = pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU, 0)
        # `async_exec` would need an event loop and its threads for every execution.
        self.threads = ThreadPoolExecutor()
        outputs = json.loads(args["model_config"])["output"]
        self.declared = {output["name"]: output for output in outputs}

    @template.hold_errors(hold_errors)
    def execute(self, requests):
        jobs = [Job(request) for request in requests]
        self.encode(jobs)
        groups = group_rows([row for job in jobs for row in job.rows])
        if len(groups) == 1:
            self.ask(groups[0])
        else:
            list(self.threads.map(self.ask, groups))
        return [self.respond(job) for job in jobs]

    def finalize(self):
        self.threads.shutdown()

    def encode(self, jobs):
        """Tokenizes the texts of all jobs together. If that fails, jobs are tokenized one by one, so that only invalid ones fail."""
        try:
            texts = [read_rows(job.request) for job in jobs]
            every = [text for of in texts for text in of]
            encodings = iter(self.tokenizer.encode_batch(every, add_special_tokens=template.add_special_tokens))
            rows = [[Row(job, next(encodings)) for _ in of] for job, of in zip(jobs, texts)]
            if template.refuses_long:
                for of in rows:
                    for index, row in enumerate(of):
                        if len(row.encoding) > MAX_LENGTH:
                            raise InvalidRequest(f"row {index} has {len(row.encoding)} tokens, but the maximum is {MAX_LENGTH}")
        except Exception as error:
            if len(jobs) > 1:
                for job in jobs:
                    self.encode([job])
                return
            invalid = isinstance(error, InvalidRequest)
            code = pb_utils.TritonError.INVALID_ARG if invalid else pb_utils.TritonError.INTERNAL
            jobs[0].fail(f"{STEP}: {error}", code)
            return
        for job, of in zip(jobs, rows):
            job.rows = of

    def ask(self, group):
        """Runs the next model on rows that are padded to one length. If it fails, all requests with rows in the group fail."""
        try:
            length = group[0].length
            for row in group:
                row.encoding.pad(length, **PAD)
            outputs = sorted({output for row in group for output in row.job.outputs})
            response = pb_utils.InferenceRequest(
                model_name=BEHIND,
                requested_output_names=outputs,
                inputs=[tensor(name, group, length) for name in FIELDS],
                trace=group[0].job.request.trace(),
                preferred_memory=self.on_cpu,
            ).exec()
            if response.has_error():
                raise RuntimeError(response.error().message())
            for output in outputs:
                values = pb_utils.get_output_tensor_by_name(response, output).as_numpy()
                for row, value in zip(group, values):
                    row.answer[output] = value
        except Exception as error:
            for row in group:
                row.job.fail(str(error), pb_utils.TritonError.INTERNAL)

    def respond(self, job):
        if job.failure is not None:
            return job.failure
        try:
            return pb_utils.InferenceResponse([self.joined(output, job.rows) for output in job.outputs])
        except Exception as error:  # a failure only affects its own request
            job.fail(f"{STEP}: {error}", pb_utils.TritonError.INTERNAL)
            return job.failure

    def joined(self, output, rows):
        """An output of all rows in the dtype that config.pbtxt declares. Checks its dims."""
        dims = self.declared[output]["dims"]
        dtype = pb_utils.triton_string_to_numpy(self.declared[output]["data_type"])
        values = np.zeros([len(rows), *dims], dtype)
        for index, row in enumerate(rows):
            shape = list(row.answer[output].shape)
            if shape != dims:
                raise ValueError(f"output {output} has rows of shape {shape}, but config.pbtxt declares {dims}")
            values[index] = row.answer[output]
        return pb_utils.Tensor(output, values)


def group_rows(rows):
    """Groups of rows of similar lengths, longest rows first: at most MAX_BATCH rows and a share of MAX_WASTE padding."""
    groups, tokens = [], 0
    for row in sorted(rows, key=lambda row: -row.length):
        size = len(groups[-1]) + 1 if groups else 1
        tokens += row.length
        if not groups or size > MAX_BATCH or tokens < (1 - MAX_WASTE) * (groups[-1][0].length * size):
            groups.append([])
            tokens = row.length
        groups[-1].append(row)
    return groups


def padded_length(length):
    """The padded length of a single row. Padding that a row has in any case does not count as waste."""
    if template.multiple_of:
        return length + -length % MULTIPLE_OF
    elif template.buckets:
        return next((bucket for bucket in BUCKETS if bucket >= length), length)
    else:
        return length


def tensor(name, group, length):
    """A tensor of rows that are padded to one length."""
    values = np.array([getattr(row.encoding, FIELDS[name]) for row in group], DTYPE)
    if template.has_offsets:
        return pb_utils.Tensor(name, values.reshape([len(group), length, 2] if name == "offsets" else [len(group), length]))
    else:
        return pb_utils.Tensor(name, values.reshape([len(group), length]))


def read_rows(request):
    texts = [PREFIX + text for text in read_texts(request, "text")] if template.prefix else read_texts(request, "text")
    return list(zip(texts, read_texts(request, "text_pair"))) if template.pair else texts


from shared import read_texts
