# SPDX-License-Identifier: Apache-2.0
"""How many candidates a second the profile quick judges, on a GPU or whatever --chip names:
bench/throughput_gpu.py [--count 1000] [--lanes N] [--seconds 420] [--json FILE] [KGBENCH] [-- OPTION...]

Distinct candidates, two in five experts, two in five mutants of experts, one in five faulty in a way of its own, go through
one `kgbench judge --stream --profile quick`. Prints candidates per second, the time to a verdict, the share of each stage,
memory and restarts, how busy the device was, and for a sample of them which verdicts the careful profile changes. Feeding
ends after --seconds; what is known then is printed. Options behind `--` go to both profiles. With --seeds N nothing of
that is done: a sample is judged with N seeds each, and how often the verdicts differ is printed.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from kgbench.mutate.mutants import mutants_of  # noqa: E402

GRACE = 90  # seconds for what is under way when feeding has ended

# Faults that no mutation makes, each put behind an expert's own text. {entry} is its first entry.
FAULTS = {
    "syntax": "def (:\n",
    "no_entry": "del {entry}\n",
    "raises": "def {entry}(*args, **kwargs):\n    raise ValueError('not today')\n",
    "exits": "import sys\nsys.exit(3)\n",
    "package": "import flash_attn\n",
    "returns_nothing": "def {entry}(*args, **kwargs):\n    return None\n",
    "computes_by_torch": "_own = {entry}\ndef {entry}(*args, **kwargs):\n    out = _own(*args, **kwargs)\n"
                         "    return out * 1 if hasattr(out, 'shape') else out\n",
    "never_launches": "def {entry}(*args, **kwargs):\n    return torch.empty(3, device='cuda')\n",
}


def operators(kgbench, suite):
    """Names of operators with an expert and, for each, its first entry."""
    listed = subprocess.run([kgbench, "list", "--suite", suite, "--json"], check=True, capture_output=True, text=True)
    rows = json.loads(listed.stdout)
    rows = rows["operators"] if isinstance(rows, dict) else rows
    return [row["name"] for row in rows if (folder(row["name"]) / "expert.py").exists()]


def folder(op):
    return ROOT / "catalogue" / "operators" / op.replace("::", "/")


def first_entry(op):
    for line in (folder(op) / "card.toml").read_text().splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "name" and "::" not in value:
            return value.strip().strip('"')
    raise SystemExit(f"the card of {op} names no entry")


def candidates(ops, count, seed):
    """(kind, op, source) without two equal texts. The first line differs, so that no cache of compiled kernels, whose
    texts hold lines, has them: `number % 50` of it are empty."""
    draw, mutants, out = random.Random(seed), {}, []
    faults = list(FAULTS.items())
    for number in range(count):
        op = ops[number % len(ops)]
        text = (folder(op) / "expert.py").read_text()
        kind = ("expert", "mutant", "expert", "mutant", "faulty")[(number + number // len(ops)) % 5]
        if kind == "mutant":
            if op not in mutants:
                mutants[op] = mutants_of(text, 12, seed)
                draw.shuffle(mutants[op])
            if mutants[op]:
                text = mutants[op].pop().source
            else:
                kind = "expert"
        if kind == "faulty":
            name, fault = faults[draw.randrange(len(faults))]
            text, kind = text + "\n" + fault.replace("{entry}", first_entry(op)), "faulty " + name
        out.append((kind, op, f"# {number}\n" + "\n" * (number % 50) + text))
    draw.shuffle(out)
    return out


def processor_ticks():
    """(busy, all) of the machine since it started; waiting for a disk is not busy."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


class Watch(threading.Thread):
    """Once a second: memory of the judge's processes, and how busy the device and the processors are."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.busy, self.ended = pid, 0, [], threading.Event()
        self.tool = shutil.which("nvidia-smi")
        self.before = processor_ticks()

    def processors_busy(self):
        """Percent of all processors since the start."""
        busy, all_of_them = (now - then for now, then in zip(processor_ticks(), self.before))
        return round(100 * busy / max(all_of_them, 1), 1)

    def run(self):
        while not self.ended.wait(1):
            self.peak = max(self.peak, self.resident())
            if self.tool:
                asked = subprocess.run([self.tool, "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-i", "0"],
                                       capture_output=True, text=True)
                if asked.returncode == 0 and asked.stdout.strip().isdigit():
                    self.busy.append(int(asked.stdout))

    def resident(self):
        """Bytes of the process and all below it; pages that a fork shares are counted by their share."""
        parents, total = {}, 0
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    status = pathlib.Path("/proc", entry, "stat").read_text()
                    parents[int(entry)] = int(status[status.rindex(")") + 2:].split()[1])
                except (OSError, ValueError):
                    pass  # it has ended
        for pid in parents:
            at = pid
            while at in parents and at != self.pid:
                at = parents[at]
            if at == self.pid:
                try:
                    rollup = pathlib.Path("/proc", str(pid), "smaps_rollup").read_text()
                    total += 1024 * int(rollup.split("\nPss:")[1].split()[0])
                except (OSError, IndexError, ValueError):
                    pass
        return total


class Stream:
    """One `kgbench judge --stream`, fed until a deadline."""

    def __init__(self, kgbench, lanes, options):
        self.start = time.perf_counter()
        self.errors = []
        self.process = subprocess.Popen([kgbench, "judge", "--stream", "-j", str(lanes), *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def judge(self, wanted, seconds, seeds=None):
        """[(seconds since the start, answer)] in the order of the answers. `seeds`: one for each, where they differ."""
        deadline = self.start + seconds

        def feed():
            try:
                for number, (_, op, source) in enumerate(wanted):
                    if time.perf_counter() > deadline:
                        break
                    seed = {"seed": f"{seeds[number]:x}"} if seeds else {}
                    self.process.stdin.write(json.dumps({"id": number, "op": op, "source": source, **seed}) + "\n")
                    self.process.stdin.flush()
                self.process.stdin.close()
            except (BrokenPipeError, ValueError):
                pass  # it has ended; the number of answers tells
        threading.Thread(target=feed, daemon=True).start()
        watchdog = threading.Timer(seconds + GRACE, self.process.kill)
        watchdog.start()
        answers = [(time.perf_counter() - self.start, json.loads(line)) for line in self.process.stdout]
        watchdog.cancel()
        self.process.wait()
        return answers


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def describe(wanted, answers, lanes, stream, watch):
    """Prints the figures of the quick stream and returns them."""
    refused = [a for _, a in answers if "error" in a]
    judged = [(t, a) for t, a in answers if "verdict" in a]
    for answer in refused[:5]:
        print(f"  refused: {answer['error']}")
    if len(judged) < 2:
        raise SystemExit("nothing was judged; standard error of the judge:\n" + "".join(stream.errors[-20:]))
    skip = max(1, len(judged) // 10)  # processes start, the oracle's answers of the batch are not known yet
    span = judged[-1][0] - judged[skip - 1][0]
    totals = [a["ms"].get("total", 0.0) for _, a in judged[skip:]]
    stages, kinds = collections.Counter(), collections.Counter()
    for _, answer in judged[skip:]:
        stages.update({k: v for k, v in answer["ms"].items() if k != "total"})
    for _, answer in judged:
        kinds[wanted[answer["id"]][0].split()[0], answer["verdict"]] += 1
    figures = {"judged": len(judged), "refused": len(refused), "lanes": lanes, "first_s": round(judged[0][0], 2),
               "per_second": round((len(judged) - skip) / span, 2), "per_second_whole": round(len(judged) / judged[-1][0], 2),
               "median_ms": round(statistics.median(totals), 1), "p99_ms": round(percentile(totals, 0.99), 1),
               "peak_mib": watch.peak >> 20, "zygote_restarts": sum("zygote is started again" in e for e in stream.errors),
               "device_busy_percent": round(statistics.mean(watch.busy), 1) if watch.busy else None,
               "processors_busy_percent": watch.processors_busy(),
               "infra": sum(a["verdict"] == "infra" for _, a in judged),
               "stages_ms": {k: round(v / len(totals), 1) for k, v in stages.most_common()},
               "verdicts": {" ".join(k): n for k, n in sorted(kinds.items())}}
    print(f"candidates           {figures['judged']} judged, {figures['refused']} refused, {figures['infra']} infra; first after "
          f"{figures['first_s']} s")
    print(f"candidates/s         {figures['per_second']} on {lanes} lanes behind the first tenth; {figures['per_second_whole']} with it")
    print(f"time to a verdict    median {figures['median_ms']} ms, 99th percentile {figures['p99_ms']} ms")
    for stage, ms in figures["stages_ms"].items():
        print(f"  {stage:<18} {ms:8.1f} ms a candidate  {100 * ms / max(statistics.mean(totals), 1e-9):5.1f} %")
    print(f"memory, restarts     {figures['peak_mib']} MiB at most, {figures['zygote_restarts']} restarts of the zygote")
    print(f"device busy          {'unknown' if not watch.busy else str(figures['device_busy_percent']) + ' % of the time'}")
    print(f"processors busy      {figures['processors_busy_percent']} % of the time")
    for kind, number in figures["verdicts"].items():
        print(f"  {kind:<28} {number}")
    figures["blamed_experts"] = blamed_experts(wanted, [a for _, a in judged])
    figures["slowest"] = slowest(wanted, [a for _, a in judged[skip:]])
    return figures


def blamed_experts(wanted, answers):
    """Every expert that did not pass, in words: each is a wrong verdict or a wrong kernel. Printed and returned."""
    rows = [{"op": wanted[a["id"]][1], "verdict": a["verdict"], "message": a["message"]}
            for a in answers if wanted[a["id"]][0] == "expert" and a["verdict"] != "pass"]
    for row in rows:
        print(f"expert of {row['op']}: {row['verdict']}: {row['message']}")
    return rows


def slowest(wanted, answers):
    """What the slowest twentieth took, by operator and kind; printed and returned."""
    total = sum(a["ms"].get("total", 0.0) for a in answers)
    tail = sorted(answers, key=lambda a: a["ms"].get("total", 0.0), reverse=True)[:max(1, len(answers) // 20)]
    groups = collections.defaultdict(list)
    for answer in tail:
        kind, op, _ = wanted[answer["id"]]
        groups[op, kind.split()[0]].append(answer)
    rows = [{"op": op, "kind": kind, "number": len(group), "ms": round(sum(a["ms"].get("total", 0.0) for a in group), 0),
             "stages_ms": {k: round(v) for k, v in sum((collections.Counter(a["ms"]) for a in group), collections.Counter()).items()
                           if k != "total"},
             "verdicts": dict(collections.Counter(a["verdict"] for a in group))}
            for (op, kind), group in groups.items()]
    rows.sort(key=lambda row: row["ms"], reverse=True)
    share = sum(row["ms"] for row in rows) / max(total, 1e-9)
    print(f"slowest twentieth    {100 * share:.0f} % of the time of all; its heaviest:")
    for row in rows[:12]:
        print(f"  {row['op']:<32} {row['kind']:<8} {row['number']:3} in {row['ms'] / 1e3:6.1f} s  {row['verdicts']}  {row['stages_ms']}")
    return rows


def differences(options, common, wanted, answers):
    """The careful verdicts of a sample beside the quick ones."""
    quick = {a["id"]: a for _, a in answers if "verdict" in a}
    picked = random.Random(options.seed).sample(sorted(quick), min(options.sample, len(quick)))
    stream = Stream(options.kgbench, options.lanes, [*common, "--profile", "careful"])
    careful = stream.judge([wanted[number] for number in picked], options.sample_seconds)
    found, compared = [], 0
    for _, answer in careful:
        if "verdict" not in answer:
            continue
        compared += 1
        number = picked[answer["id"]]
        if answer["verdict"] != quick[number]["verdict"]:
            kind, op, _ = wanted[number]
            found.append({"op": op, "kind": kind, "quick": quick[number]["verdict"], "careful": answer["verdict"],
                          "message": answer["message"]})
    rate = compared / careful[-1][0] if careful else 0
    print(f"careful profile      {compared} of the same candidates at {rate:.2f} a second; {len(found)} verdicts differ")
    for row in found:
        print(f"  {row['op']:<32} {row['kind']:<18} quick {row['quick']}, careful {row['careful']}: {row['message'][:90]}")
    return {"compared": compared, "per_second": round(rate, 2), "differ": found}


def over_seeds(options, common, wanted):
    """How often the profile quick says something else than careful does, and than itself, over seeds that draw other
    workloads and values. Careful judges each candidate once, with the first seed."""
    draw = random.Random(options.seed + 1)
    picked = draw.sample(wanted, min(options.seeds_sample, len(wanted)))
    seeds = [draw.getrandbits(63) | 1 for _ in range(options.seeds)]
    pairs = [(n, seed) for seed in seeds for n in range(len(picked))]
    quick = Stream(options.kgbench, options.lanes, [*common, "--profile", "quick"]).judge(
        [picked[n] for n, _ in pairs], options.sample_seconds, [seed for _, seed in pairs])
    careful = Stream(options.kgbench, options.lanes, [*common, "--profile", "careful"]).judge(
        picked, options.sample_seconds, [seeds[0]] * len(picked))
    truth = {a["id"]: a["verdict"] for _, a in careful if "verdict" in a}
    said = collections.defaultdict(collections.Counter)
    for _, answer in quick:
        if "verdict" in answer and pairs[answer["id"]][0] in truth:
            said[pairs[answer["id"]][0]][answer["verdict"]] += 1
    judged = sum(sum(verdicts.values()) for verdicts in said.values())
    rows = [{"op": picked[n][1], "kind": picked[n][0], "careful": truth[n], "quick": dict(verdicts)}
            for n, verdicts in sorted(said.items()) if set(verdicts) != {truth[n]}]
    wrong = sum(sum(row["quick"].values()) - row["quick"].get(row["careful"], 0) for row in rows)
    print(f"over {options.seeds} seeds        {wrong} of {judged} quick verdicts differ from careful ones, of {len(said)} candidates "
          f"{len(rows)} at least once")
    for row in rows:
        print(f"  {row['op']:<32} {row['kind']:<18} careful {row['careful']}, quick {row['quick']}")
    return {"seeds": options.seeds, "judged": judged, "candidates": len(said), "differ": wrong, "rows": rows}


def fresh(options, common, wanted):
    """Seconds for a candidate in a program of its own, as harnesses without a stream start one."""
    times = []
    for number, (_, op, source) in enumerate(wanted[:options.fresh]):
        file = pathlib.Path(options.scratch) / f"fresh{number}.py"
        file.write_text(source)
        start = time.perf_counter()
        subprocess.run([options.kgbench, "judge", str(file), "--op", op, *common, "--profile", "quick"], capture_output=True)
        times.append(time.perf_counter() - start)
        file.unlink()
    if times:
        print(f"a program each       {statistics.median(times):.1f} s a candidate (median of {len(times)})")
    return round(statistics.median(times), 2) if times else None


def parsed(argv):
    rest = argv[argv.index("--") + 1:] if "--" in argv else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgbench", nargs="?", default=str(ROOT / "kgbench"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--suite", default="kernels")
    parser.add_argument("--seed", type=int, default=7, help="of the mix; values come from the stream's own secret one")
    parser.add_argument("--seconds", type=float, default=420, help="for feeding the quick stream")
    parser.add_argument("--sample", type=int, default=100, help="candidates that the careful profile judges, too")
    parser.add_argument("--sample-seconds", type=float, default=120)
    parser.add_argument("--seeds", type=int, default=0, help="judge --seeds-sample candidates with so many seeds each (0: not)")
    parser.add_argument("--seeds-sample", type=int, default=40)
    parser.add_argument("--fresh", type=int, default=3, help="candidates judged by a program each")
    parser.add_argument("--scratch", default="/tmp")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args(argv[:argv.index("--")] if "--" in argv else argv), rest


def main(argv):
    options, common = parsed(argv)
    # Both profiles draw from one seed, so that what differs is the profile.
    values = [] if "--seed" in common else ["--seed", f"{random.SystemRandom().getrandbits(64):x}"]
    targets = [] if "--target" in common else ["--target", "none"]
    common = [*common, *values, *targets]
    wanted = candidates(operators(options.kgbench, options.suite), options.count, options.seed)
    print(f"{len(wanted)} candidates, {options.lanes} lanes, options {' '.join(common)}", flush=True)
    if options.seeds:
        save(options, over_seeds(options, common, wanted))
        return
    stream = Stream(options.kgbench, options.lanes, [*common, "--profile", "quick"])
    watch = Watch(stream.process.pid)
    watch.start()
    answers = stream.judge(wanted, options.seconds)
    watch.ended.set()
    figures = describe(wanted, answers, options.lanes, stream, watch)
    save(options, figures)
    if options.sample:
        figures["careful"] = differences(options, common, wanted, answers)
        save(options, figures)
    figures["program_each_s"] = fresh(options, common, wanted)
    save(options, figures)


def save(options, figures):
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
