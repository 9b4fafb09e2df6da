# SPDX-License-Identifier: Apache-2.0
"""What an agent and a client of the MCP server are told of times, on a real GPU. `make test-gpu` there."""

import json
import os
import pathlib
import sqlite3
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OP = "aten::add_"
SOURCE = (ROOT / "catalogue" / "operators" / "aten" / "add_" / "expert.py").read_text()
FAST = ["--tier", "smoke", "--target", "none", "--chip", "nvidia"]

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")


ENVIRONMENT = {**os.environ, "KGBENCH_HOME": str(ROOT), "OPENAI_API_KEY": "none"}


def test_an_agent_that_asks_for_times_gets_the_devices(tmp_path):
    agents = tmp_path / "more" / "agents"
    agents.mkdir(parents=True)
    assert "'''" not in SOURCE
    # It asks no model: what it hands in was there.
    (agents / "scripted.toml").write_text(
        'schema = "agent/1"\ntitle = "scripted"\ncommand = ["/usr/bin/python3", "agent.py"]\n[files]\n'
        "\"agent.py\" = '''\nimport subprocess\nsubprocess.run(['cp', 'found.py', 'solution.py'])\n"
        "raise SystemExit(subprocess.run(['kgbench', 'verify', 'solution.py']).returncode)\n'''\n"
        f"\"found.py\" = '''\n{SOURCE}'''\n")
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "--catalogue", tmp_path / "more", "run", "--contestant", "agent:scripted",
                           "--model", "none", "--base-url", "http://127.0.0.1:9", "--verify", "timed", "--op", OP, "--out",
                           tmp_path / "run", "--allow-weak-lock", *FAST], capture_output=True, text=True, timeout=400, env=ENVIRONMENT)
    if "without HTTP" in done.stderr:
        pytest.skip("this build has no HTTP, which agents need")
    assert done.returncode == 0, done.stderr
    log = next((tmp_path / "run").glob("workspaces/*/agent.log")).read_text()
    assert " us, " in log and " times as fast as torch (" in log, log
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as store:
        assert store.execute("SELECT note, verdict FROM attempt").fetchall() == [("verify 1", "pass")]
        (text,), = store.execute("SELECT json FROM evaluation").fetchall()
    assert json.loads(text)["verdict"] == "pass"


def test_a_client_of_the_mcp_server_gets_the_devices_times():
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [{"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": {"name": "evaluate_kernel", "arguments": {"op": OP, "source": SOURCE}}}]
    # The server ends with its input, so that stays open until the answer is there.
    server = subprocess.Popen([os.environ["KGBENCH_BINARY"], "mcp", "--allow-weak-lock", *FAST], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    for message in messages:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    replies = {}
    while 2 not in replies:
        reply = json.loads(server.stdout.readline())
        replies[reply.get("id")] = reply
    server.stdin.close()
    assert server.wait(60) == 0
    result = replies[2]["result"]
    assert not result["isError"], result
    evaluation = result["structuredContent"]
    assert evaluation["verdict"] == "pass"
    assert evaluation["timings"]
    for timing in evaluation["timings"]:
        assert 0.01 < timing["low"] <= timing["ratio"] <= timing["high"] < 100, timing
        assert timing["baseline"] == "torch" and timing["candidate_s"] > 0
