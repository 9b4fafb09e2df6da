# SPDX-License-Identifier: Apache-2.0
"""Processor seconds (user and system) that the judge spends on a candidate, by kind of process:
bench/quick_cost.py [--count 200] [--profile quick] [--suite kernels] [--standin] [--json FILE] [KGBENCH] [-- OPTION...]

The mix is that of throughput_gpu.py: distinct candidates, experts, mutants and faulty ones. What the first tenth of them
costs (processes that start, the oracle's first answers) is told apart from the rest. --standin judges on the stand-in for a
device's driver, whose kernels the virtual machine runs: the judge's own path is then a device's, and what the process
`device` spends is the stand-in's work, not the judge's. Options behind `--` go to `kgbench judge`.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))

from throughput_gpu import candidates, operators, percentile  # noqa: E402

TICK = 1 / os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    """(parent, start, own seconds, seconds of children that have ended), or None when it has ended itself."""
    try:
        text = pathlib.Path("/proc", str(pid), "stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2:].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return int(fields[1]), int(fields[19]), (user + system) * TICK, (children_user + children_system) * TICK


def kind_of(command):
    if "executor" in command:
        return "device" if "--backend" in command else "virtual machine"
    for part, kind in {"kgbench.compiler": "compiler", "kgbench.baseline": "baseline", "kgbench.author": "python"}.items():
        if any(part in word for word in command):
            return kind
    return "other"


def seconds_by_kind(pid):
    """Seconds so far of the judge and all below it. Authors have ended: theirs are what its children left behind."""
    spent, pythons = collections.Counter(), []
    for entry in os.listdir("/proc"):
        found = stat_of(entry) if entry.isdigit() else None
        if found is None:
            continue
        parent, start, own, children = found
        if int(entry) == pid:
            spent["kgbench"] += own
            spent["author"] += children
        elif parent == pid:
            try:
                command = pathlib.Path("/proc", entry, "cmdline").read_text().split("\0")
            except OSError:
                continue
            kind = kind_of(command)
            if kind == "python":
                pythons.append((start, own + children))
            else:
                spent[kind] += own + children
    # The zygote is the first of its name; those forked from it are the oracle's, or authors at work.
    for number, (_, seconds) in enumerate(sorted(pythons)):
        spent["oracle" if number else "zygote"] += seconds
    return spent


def judge(options, common, wanted):
    """[(seconds by kind, answers)] behind the first tenth and at the end, and the answers."""
    command = [options.kgbench, "judge", "--stream", "-j", str(options.lanes), "--profile", options.profile, *common]
    environment = dict(os.environ)
    if options.standin:
        environment["KGBENCH_CUDA_LIBRARY"] = str(options.build / "standin" / "libkgb_standin.so")
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def feed():
        for number, (_, op, source) in enumerate(wanted):
            process.stdin.write(json.dumps({"id": number, "op": op, "source": source}) + "\n")
            process.stdin.flush()

    threading.Thread(target=feed, daemon=True).start()
    answers, marks = [], []
    for line in process.stdout:
        answers.append(json.loads(line))
        if len(answers) in (max(1, len(wanted) // 10), len(wanted)):
            marks.append((seconds_by_kind(process.pid), len(answers)))
        if len(answers) == len(wanted):
            break
    process.stdin.close()
    process.wait()
    if len(marks) < 2:
        raise SystemExit("the judge ended before its last answer")
    return marks, answers


def describe(wanted, marks, answers):
    (early, first), (late, last) = marks
    count = last - first
    spent = {kind: 1e3 * (late[kind] - early[kind]) / count for kind in late}
    figures = {"candidates": last, "first_ms": round(1e3 * sum(early.values()) / first, 1),
               "ms": round(sum(spent.values()), 1), "by_kind_ms": {k: round(v, 1) for k, v in sorted(spent.items())}}
    judged = [a for a in answers if "ms" in a]
    totals = [a["ms"].get("total", 0.0) for a in judged]
    figures["p50_ms"], figures["p99_ms"] = round(percentile(totals, 0.5), 1), round(percentile(totals, 0.99), 1)
    verdicts = collections.Counter((wanted[a["id"]][0].split()[0], a.get("verdict", "error")) for a in answers)
    figures["verdicts"] = {" ".join(key): n for key, n in sorted(verdicts.items())}
    slowest = sorted(judged, key=lambda a: -a["ms"].get("total", 0))[:10]
    figures["slowest"] = [[wanted[a["id"]][1], wanted[a["id"]][0], a["verdict"], a["ms"]] for a in slowest]
    print(f"{last} candidates: {figures['ms']:.0f} ms of processor time each behind the first {first}, which cost "
          f"{figures['first_ms']:.0f} ms each")
    for kind, ms in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"  {kind:<18} {ms:8.1f} ms  {100 * ms / max(sum(spent.values()), 1e-9):5.1f} %")
    print(f"time to a verdict    median {figures['p50_ms']} ms, 99th percentile {figures['p99_ms']} ms")
    for op, kind, verdict, ms in figures["slowest"]:
        print(f"  {op:<36} {kind:<16} {verdict:<14} " + ", ".join(f"{k} {v:.0f}" for k, v in ms.items()))
    for key, number in figures["verdicts"].items():
        print(f"  {key:<28} {number}")
    return figures


def main(argv):
    rest = argv[argv.index("--") + 1:] if "--" in argv else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgbench", nargs="?", default=str(ROOT / "kgbench"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--suite", default="kernels")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--seed", type=int, default=7, help="of the mix; values come from the stream's own secret one")
    parser.add_argument("--every", type=int, default=1, help="takes one operator of so many: more candidates of each")
    parser.add_argument("--standin", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--answers", type=pathlib.Path, help="keeps every answer, to compare verdicts of two builds")
    options = parser.parse_args(argv[:argv.index("--")] if "--" in argv else argv)
    chip = ["--catalogue", str(ROOT / "tests" / "standin" / "catalogue"), "--chip", "standin"] if options.standin else []
    common = [*chip, *([] if "--target" in rest else ["--target", "none"]), *rest]
    wanted = candidates(operators(options.kgbench, options.suite)[::options.every], options.count, options.seed)
    marks, answers = judge(options, common, wanted)
    figures = describe(wanted, marks, answers)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if options.answers:
        rows = [{"op": wanted[a["id"]][1], "kind": wanted[a["id"]][0], **a} for a in sorted(answers, key=lambda a: a["id"])]
        options.answers.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main(sys.argv[1:])
