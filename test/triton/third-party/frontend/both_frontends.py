"""A pytest plugin: prints the verdicts, and lets the tests query the server at `TRITYPE_OPENAI` if that is set."""

import json
import os
import sys
import types

import pytest

address = os.environ.get("TRITYPE_OPENAI")

if address is not None:
    import fastapi.testclient
    import httpx
    import openai

    class OpenAIServer:
        def __init__(self, arguments):
            self.options = {"base_url": f"{address}/v1", "api_key": "EMPTY"}

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def get_client(self):
            return openai.OpenAI(**self.options)

        def get_async_client(self):
            return openai.AsyncOpenAI(**self.options)

    utils = types.ModuleType("tests.utils")
    utils.OpenAIServer = OpenAIServer
    utils.setup_server = lambda *_, **__: types.SimpleNamespace(stop=lambda: None)
    utils.setup_fastapi_app = lambda **_: address
    sys.modules["tests.utils"] = utils
    fastapi.testclient.TestClient = lambda url: httpx.Client(base_url=url, timeout=60)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" or not report.passed:
        failed = None
        if report.skipped:
            failed = f"skipped: {report.longrepr[2] if isinstance(report.longrepr, tuple) else report.wasxfail}"
        elif report.failed:
            failed = str(call.excinfo.value).strip().split("\n")[0][:300]
        print("\n" + json.dumps({"test": item.nodeid.split("::", 1)[1], "failed": failed}), flush=True)
    return report
