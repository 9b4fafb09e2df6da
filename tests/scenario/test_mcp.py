# SPDX-License-Identifier: Apache-2.0
"""kgbench mcp: the official client in both its versions, over both transports; and clients that do not behave."""
import contextlib
import http.client as http_client
import json
import os
import pathlib
import signal
import subprocess
import urllib.parse

import pytest
from conftest import BINARY, HOME, expert, kgbench

ROOT = pathlib.Path(__file__).parents[2]
OPTIONS = ["-j", "1", "--chip", "cpu", "--tier", "smoke,hidden", "--author-limit", "86400"]
GIVEN = {"op": "vllm::rms_norm", "good": expert("vllm::rms_norm").read_text(),
         "bad": "def rms_norm(out, input, weight, epsilon):\n    raise ValueError('not yet')\n",
         "endless": "import time\nwhile True:\n    time.sleep(1)\n"}
TOOLS = ["list_operators", "show_operator", "check_kernel", "evaluate_kernel", "compare_kernels", "explain_verdict"]


def client_python(name):
    """The interpreter of an environment with this client; made once, kept like the judge's own."""
    script = f'. {ROOT}/tools/lib.sh && {ROOT}/tools/setup.sh {name} >&2 && venv_path {name} {ROOT}/requirements/{name}.txt'
    made = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=600)
    if made.returncode != 0:
        pytest.skip(f"the client of requirements/{name}.txt cannot be installed: {made.stderr.strip().splitlines()[-1]}")
    return pathlib.Path(made.stdout.split()[-1]) / "bin" / "python"


@contextlib.contextmanager
def http_server(*options, env=None):
    """A server on a free port; its URL. It must end well when it is told to."""
    server = subprocess.Popen([BINARY, "mcp", "--http", "--port", "0", *OPTIONS, *options], stdout=subprocess.PIPE,
                              text=True, env={**os.environ, **(env or {})})
    try:
        line = server.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), line
        yield line.split()[-1]
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=120) == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def drive(client, era, kind, target, only=""):
    done = subprocess.run([client_python(client), ROOT / "tests" / "scenario" / "mcp_driver.py", era, kind, target],
                          input=json.dumps({**GIVEN, "only": only}), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def http():
    """The URL of one server for all who need no other: to get warm is what costs."""
    with http_server() as url:
        yield url


CONNECTIONS = {"1-stdio": ("mcp-1", "handshake", "stdio", "2025-11-25"),
               "1-http": ("mcp-1", "handshake", "http", "2025-11-25"),
               "2-stdio-stateless": ("mcp-2", "stateless", "stdio", "2026-07-28"),
               "2-http-stateless": ("mcp-2", "stateless", "http", "2026-07-28")}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_the_official_client_lists_calls_watches_cancels_and_is_told_of_mistakes(name, http):
    client, era, kind, version = CONNECTIONS[name]
    saw = drive(client, era, kind, json.dumps([BINARY, "mcp", *OPTIONS]) if kind == "stdio" else http)
    assert saw["version"] == version
    assert saw["tools"] == TOOLS
    assert "def rms_norm(" in saw["shown"]["structured"]["stub"]
    assert saw["mistake"]["error"] and "unknown argument 'sorce' (did you mean 'source'?)" in saw["mistake"]["text"] \
        or saw["mistake"]["text"] == "check_kernel: `source` is missing"
    assert saw["no_operator"]["error"] and "sofmax is no operator" in saw["no_operator"]["text"]
    assert "no tool 'no_such_tool'" in saw["no_tool"]
    good = saw["good"]["structured"]
    assert (saw["good"]["error"], good["verdict"]) == (False, "pass")
    assert good["passed"]["smoke"]["passed"] == good["passed"]["smoke"]["judged"] > 0
    assert good["passed"]["hidden"]["passed"] == good["passed"]["hidden"]["judged"] > 0
    steps = [done for done, _, _ in saw["progress"]]
    assert steps == sorted(set(steps)) and len(steps) > 5
    assert any("gate correct, workload" in message for _, _, message in saw["progress"])
    assert saw["still_running"] and not saw["meanwhile"]["error"]
    assert saw.get("ping") == ("answered" if version == "2025-11-25" else None)
    bad = saw["bad"]["structured"]  # judged at all: the cancelled candidate gave its lane back
    assert (bad["verdict"], bad["reason"]["kind"], bad["reason"]["line"]) == ("runtime_error", "host_exception", 2)
    assert "not yet" in saw["bad"]["text"]
    assert saw["explained"]["structured"]["evaluation"]["reason"] == bad["reason"]


def test_the_second_version_of_the_client_shakes_hands_as_the_first(http):
    saw = drive("mcp-2", "handshake", "http", http, only="lists")
    assert (saw["version"], saw["tools"]) == ("2025-11-25", TOOLS)
    assert "def rms_norm(" in saw["shown"]["structured"]["stub"]
    assert saw["no_operator"]["error"] and "no tool 'no_such_tool'" in saw["no_tool"]


def message(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


HELLO = message(0, "initialize", protocolVersion="2025-11-25", capabilities={})


def test_hostile_lines_get_errors_and_the_server_goes_on_to_the_end_of_its_input():
    lines = [b"{", b"\xff\xfe", b"[" * 100000, b"[]", b"x" * (17 << 20), b"", b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
             json.dumps(HELLO).encode(), json.dumps(message(1, "tools/call", name="list_operators",
                                                            arguments={"suite": "vllm"})).encode(),
             json.dumps(message(2, "ping")).encode()]
    done = subprocess.run([BINARY, "mcp", *OPTIONS], input=b"\n".join(lines), capture_output=True, timeout=300)
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    assert [a["error"]["code"] for a in answers if "error" in a] == [-32700, -32700, -32700, -32600, -32700, -32600]
    assert {a["id"] for a in answers if "result" in a} == {0, 1, 2}


def call_tool(options, name, **arguments):
    """The result of one call over the standard streams, of a server that ends well afterwards."""
    server = subprocess.Popen([BINARY, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with server:
        for one in (HELLO, message(1, "tools/call", name=name, arguments=arguments)):
            server.stdin.write(json.dumps(one) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        answer = json.loads(server.stdout.readline())
        server.stdin.close()
    assert server.returncode == 0 and answer["id"] == 1
    return answer["result"]


def test_a_candidate_that_prints_hidden_shapes_is_not_told_them():
    source = ("import sys\n\ndef rms_norm(out, input, weight, epsilon):\n"
              "    raise ValueError('shape %s' % (tuple(input.shape),))\n")
    told = call_tool(["-j", "1", "--chip", "cpu", "--tier", "hidden"], "evaluate_kernel", op="rms_norm", source=source)
    assert told["structuredContent"]["reason"]["message"] == "host_exception in a hidden workload"
    assert "shape (" not in json.dumps(told)


def test_two_native_candidates_are_compared_by_the_quotient_of_their_speedups():
    source = expert("aten::softmax").with_suffix(".cpp").read_text()
    told = call_tool(["-j", "1", "--chip", "cpu", "--tier", "smoke"], "compare_kernels", op="aten::softmax",
                     source_a=source, language_a="cpp", source_b=source, language_b="cpp")["structuredContent"]
    assert (told["a"]["verdict"], told["b"]["verdict"], told["why_no_ratio"]) == ("pass", "pass", "")
    for ratio in told["b_over_a"]:
        assert ratio["low"] <= ratio["ratio"] <= ratio["high"]
        assert ratio["call"] in ("faster", "same", "slower", "cannot tell")
        a, b = ([t["ratio"] for t in told[which]["timings"] if t["workload"] == ratio["workload"]] for which in "ab")
        assert ratio["ratio"] == pytest.approx(b[0] / a[0])
    assert told["b_over_a"]


def post(url, body, **headers):
    """Status, headers and body of one POST; each header's name with _ for -."""
    place = urllib.parse.urlsplit(url)
    connection = http_client.HTTPConnection(place.hostname, place.port, timeout=120)
    connection.request("POST", place.path, json.dumps(body), {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()}})
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, reply.headers, content


def test_over_http_pages_of_other_sites_are_refused(http):
    assert post(http, HELLO)[0] == 200
    assert post(http, HELLO, Origin="http://localhost:3000")[0] == 200
    assert post(http, HELLO, Origin="http://evil.example")[0] == 403
    assert post(http, HELLO, Host="evil.example")[0] == 403


def test_over_http_the_token_of_the_environment_is_wanted():
    with http_server(env={"KGBENCH_MCP_TOKEN": "open sesame"}) as url:
        status, headers, _ = post(url, HELLO)
        assert (status, headers["WWW-Authenticate"]) == (401, "Bearer")
        assert post(url, HELLO, Authorization="Bearer open sesam")[0] == 401
        assert post(url, HELLO, Authorization="Bearer open sesame")[0] == 200


def stateless(tool, **arguments):
    """The body and the headers of a call by a client that shook no hands."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": 1}
    return (message(1, "tools/call", name=tool, arguments=arguments, _meta=meta),
            {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": tool})


def test_kernels_that_a_chip_cannot_time_are_compared_by_their_verdicts(http):
    body, headers = stateless("compare_kernels", op=GIVEN["op"], source_a=GIVEN["bad"], source_b=GIVEN["good"])
    status, _, events = post(http, body, **headers)
    told = json.loads(events.decode().rstrip().rpartition("data: ")[2])["result"]
    assert status == 200 and "a: runtime_error, b: pass" in told["content"][0]["text"]
    assert told["structuredContent"]["why_no_ratio"] == "only candidates that pass are timed"


def test_over_http_a_stateless_client_that_goes_away_frees_the_lane(http):
    body, headers = stateless("evaluate_kernel", op="rms_norm", source=GIVEN["endless"])
    place = urllib.parse.urlsplit(http)
    gone = http_client.HTTPConnection(place.hostname, place.port, timeout=120)
    gone.request("POST", place.path, json.dumps(body), {
        "Accept": "application/json, text/event-stream", **{name.replace("_", "-"): value for name, value in headers.items()}})
    events = gone.getresponse()
    while b"event: message" not in events.readline():
        pass  # comments, until the judge is warm
    events.close()
    gone.close()
    body, headers = stateless("check_kernel", op="rms_norm", source="x = 1")
    status, _, body = post(http, body, **headers)
    assert status == 200 and b"wrong_contract" in body


def test_a_host_that_others_reach_wants_a_token():
    done = kgbench("mcp", "--http", "--host", "0.0.0.0", "--port", "0", env={**os.environ, "KGBENCH_MCP_TOKEN": ""})
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --host 0.0.0.0 would let others judge here: set KGBENCH_MCP_TOKEN")


def test_a_port_that_is_taken_is_named(http):
    port = http.rsplit(":", 1)[1].split("/")[0]
    done = kgbench("mcp", "--http", "--port", port)
    assert done.code == 2 and f"cannot listen on 127.0.0.1 port {port}" in done.err


def test_the_page_for_agents_names_every_tool_and_a_command_that_starts():
    page = (HOME / "docs" / "use-from-an-agent.md").read_text()
    for tool in TOOLS:
        assert f"`{tool}`" in page
