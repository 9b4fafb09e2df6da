# SPDX-License-Identifier: Apache-2.0
"""Drives kgbench mcp with the official client and prints what it saw as JSON; runs in an environment of the client's.

usage: mcp_driver.py handshake|stateless stdio|http TARGET     (TARGET: JSON of a command line, or a URL)
Standard input holds {"op", "good", "bad", "endless"}: an operator and the sources of three candidates;
"only": "lists" leaves out what is judged.
"""
import asyncio
import contextlib
import importlib.metadata
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TWO = importlib.metadata.version("mcp").startswith("2.")


def parameters(target):
    command, *arguments = json.loads(target)
    return StdioServerParameters(command=command, args=arguments, env=dict(os.environ))


def transport(kind, target):
    return stdio_client(parameters(target)) if kind == "stdio" else streamable_http_client(target)


@contextlib.asynccontextmanager
async def handshake(kind, target):
    """A session that began with `initialize`, and the version that was agreed on."""
    async with transport(kind, target) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            hello = await session.initialize()
            yield session, hello.protocol_version if TWO else hello.protocolVersion


@contextlib.asynccontextmanager
async def stateless(kind, target):
    """The client that finds out by itself which version the server speaks."""
    from mcp import Client
    async with Client(parameters(target) if kind == "stdio" else target) as client:
        yield client, client.session.protocol_version


async def cancel(session, running, number):
    """Gives up a call; version 1 of the client does not tell the server by itself: `number` is the request's."""
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    if not TWO:
        from mcp import types
        params = types.CancelledNotificationParams(requestId=number, reason="no longer wanted")
        await session.send_notification(types.ClientNotification(
            types.CancelledNotification(method="notifications/cancelled", params=params)))


def told(result):
    structured = result.structured_content if TWO else result.structuredContent
    return {"error": result.is_error if TWO else result.isError, "text": result.content[0].text, "structured": structured}


async def scenario(session, version, given):
    saw = {"version": version}
    saw["tools"] = [tool.name for tool in (await session.list_tools()).tools]
    saw["shown"] = told(await session.call_tool("show_operator", {"op": given["op"]}))
    saw["mistake"] = told(await session.call_tool("check_kernel", {"op": given["op"], "sorce": "x"}))
    saw["no_operator"] = told(await session.call_tool("check_kernel", {"op": "sofmax", "source": "x"}))
    try:
        saw["no_tool"] = told(await session.call_tool("no_such_tool", {}))
    except Exception as error:
        saw["no_tool"] = str(error)
    if given["only"] == "lists":
        return saw

    progress = []

    async def on_progress(done, total, message):
        progress.append([done, total, message])

    saw["good"] = told(await session.call_tool("evaluate_kernel", {"op": given["op"], "source": given["good"]},
                                               progress_callback=on_progress))
    saw["progress"] = progress

    # The only lane is held by a candidate without an end.
    started = asyncio.Event()

    async def on_start(done, total, message):
        started.set()

    number = None if TWO else session._request_id
    running = asyncio.ensure_future(session.call_tool(
        "evaluate_kernel", {"op": given["op"], "source": given["endless"]}, progress_callback=on_start))
    await started.wait()
    if version != "2026-07-28":
        await session.send_ping()
        saw["ping"] = "answered"
    saw["meanwhile"] = told(await session.call_tool("explain_verdict", {"kind": "value_mismatch"}))
    saw["still_running"] = not running.done()
    await cancel(session, running, number)
    saw["bad"] = told(await session.call_tool("check_kernel", {"op": given["op"], "source": given["bad"]}))
    saw["explained"] = told(await session.call_tool(
        "explain_verdict", {"evaluation": saw["bad"]["structured"]["evaluation"]}))
    return saw


async def main():
    era, kind, target = sys.argv[1:]
    given = json.load(sys.stdin)
    async with (handshake if era == "handshake" else stateless)(kind, target) as (session, version):
        saw = await scenario(session, version, given)
    print(json.dumps(saw))


asyncio.run(main())
