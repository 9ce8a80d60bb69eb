"""Makes the calls of clients.test.ts with the `openai` package from PyPI, and prints the results as JSON."""

import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
messages = [{"role": "system", "content": "be a cab"}, {"role": "user", "content": "abc"}]


def failure(call):
    try:
        call()
    except openai.APIError as error:
        return {
            "name": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "param": error.param,
            "code": error.code,
            "message": error.body["message"],
        }


def plain(answer):
    return {key: value for key, value in answer.model_dump().items() if key not in ("id", "created")}


def streamed(chunks):
    return [plain(chunk) for chunk in chunks]


usage = {"include_usage": True}
print(
    json.dumps(
        {
            "models": [model.id for model in client.models.list()],
            "model": client.models.retrieve("chat").id,
            "chat": plain(client.chat.completions.create(model="chat", messages=messages, seed=7)),
            "short": plain(client.chat.completions.create(model="chat", messages=messages, seed=7, max_tokens=3)),
            "whole": plain(client.chat.completions.create(model="whole", messages=messages, seed=7)),
            "greedy": plain(client.completions.create(model="chat", prompt="abc", temperature=0, echo=True)),
            "stopped": plain(client.completions.create(model="chat", prompt="abc", temperature=0, stop=["a", "b"])),
            "chunks": streamed(
                client.chat.completions.create(
                    model="chat", messages=messages, seed=7, stream=True, stream_options=usage
                )
            ),
            "pieces": streamed(client.completions.create(model="whole", prompt="abc", seed=3, stream=True)),
            "failures": [
                failure(lambda: client.models.retrieve("other")),
                failure(lambda: client.completions.create(model="other", prompt="a")),
                failure(lambda: client.chat.completions.create(model="plain", messages=messages)),
                failure(lambda: client.chat.completions.create(model="chat", messages=[])),
                failure(lambda: client.completions.create(model="plain", prompt="a", seed=1, temperature=0.5)),
                failure(lambda: client.completions.create(model="needy", prompt="a")),
                failure(lambda: client.completions.create(model="chat", prompt="a" * 24)),
                failure(
                    lambda: client.chat.completions.create(model="chat", messages=messages, max_completion_tokens=25)
                ),
            ],
        }
    )
)
