# SPDX-License-Identifier: Apache-2.0
"""kgbench, as an agent has it in its workspace: asks the judge outside about a file.

usage: kgbench verify FILE [--json]

Exit code 0: the file passes; 1: it does not; 2: the question could not be asked.
"""
import json
import os
import sys
import urllib.error
import urllib.request

LIMIT_S = 1800  # the judge may be at other work first


def ask(path):
    """The judge's answer, or the reason that there is none."""
    with open(path, encoding="utf-8", errors="replace") as file:
        body = json.dumps({"source": file.read()}).encode()
    request = urllib.request.Request(os.environ["KGBENCH_VERIFY"], body, {"Content-Type": "application/json"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=LIMIT_S) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


def tell(answer):
    print(answer["text"].rstrip())
    times = answer.get("times", {})
    for row in times.get("workloads", []):
        if "speedup" in row:
            print(f"{row['workload']}: {row['seconds'] * 1e6:.2f} us, {row['speedup']:.2f} times as fast as "
                  f"{row['baseline']} ({row['call']})")
    if "speedup" in times:
        print(f"all timed workloads: {times['speedup']:.2f} times as fast (geometric mean)")
    print(f"({answer['left']} calls of kgbench verify are left)")


def main(arguments):
    if not arguments or arguments[0] != "verify" or "-h" in arguments or "--help" in arguments:
        print(__doc__.strip())
        return 0 if "--help" in arguments or "-h" in arguments else 2
    files = [word for word in arguments[1:] if not word.startswith("-")]
    if len(files) != 1:
        print("error: name one file: kgbench verify solution.py", file=sys.stderr)
        return 2
    if "KGBENCH_VERIFY" not in os.environ:
        print("error: this run has no kgbench verify", file=sys.stderr)
        return 2
    try:
        answer = ask(files[0])
    except (OSError, ValueError) as reason:
        print(f"error: {reason}", file=sys.stderr)
        return 2
    if "error" in answer:
        print(f"error: {answer['error']}", file=sys.stderr)
        return 2
    if "--json" in arguments:
        print(json.dumps(answer, indent=2))
    else:
        tell(answer)
    return 0 if answer["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
