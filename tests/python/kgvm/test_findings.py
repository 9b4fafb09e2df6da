# SPDX-License-Identifier: Apache-2.0
"""What a wrong kernel leads to: the exception, the list of --sanitize, exit statuses, settings."""
import textwrap

import pytest
from conftest import SCRIPTS, line_of

sanitizer = pytest.mark.skipif("sanitize=" not in pytest.importorskip("kgbench._kgbench").vm_run.__doc__,
                              reason="this build checks bounds alone")
WRONG = SCRIPTS / "out_of_bounds.py"
PLACE = f"{WRONG}:{line_of(WRONG, '# no mask')}"
FOUND = "store of 4 bytes at element 1000 of 'out_ptr', which has 1000 elements, in program (3, 0, 0)"


@pytest.fixture
def script(tmp_path):
    """script(text): a file that holds a prelude and this text."""
    def write(text):
        path = tmp_path / "script.py"
        path.write_text("import torch\nimport triton\nimport triton.language as tl\n" + textwrap.dedent(text))
        return path

    return write


def test_finding_ends_the_script_with_argument_index_program_and_line(kgvm):
    done = kgvm(WRONG)
    assert done.returncode == 1
    assert "KernelFault" in done.stderr and FOUND in done.stderr and PLACE in done.stderr
    assert "tl.store(out_ptr + offsets, 2 * x)" in done.stderr
    assert "after the launch" not in done.stdout


def test_finding_may_be_caught(kgvm, script):
    path = script("""
        from kgbench.kgvm import KernelFault

        @triton.jit
        def far(x):
            tl.store(x + 7, 1.0)

        try:
            far[(1,)](torch.zeros(4, device="cuda"))
        except KernelFault as fault:
            one, = fault.faults
            print(one.kernel, one.kind, one.argument, one.index, one.program, one.line)
    """)
    done = kgvm(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"far out_of_bounds x 28 (0, 0, 0) {line_of(path, 'tl.store')}\n"


def test_warn_goes_on(kgvm):
    done = kgvm(WRONG, KGVM_ON_FINDING="warn")
    assert done.returncode == 0
    assert FOUND in done.stderr and done.stdout == "after the launch\n"


def test_sanitize_lists_findings_at_the_end(kgvm):
    done = kgvm("--sanitize", WRONG)
    assert done.returncode == 1
    after, head, first, *_ = done.stdout.splitlines()
    assert after == "after the launch"
    assert head.endswith("out_of_bounds.py: 1 finding")
    assert first.startswith("1. scale_kernel: out_of_bounds:") and FOUND in first and PLACE in first


def test_sanitize_is_quiet_about_a_good_script(kgvm):
    done = kgvm("--sanitize", SCRIPTS / "vector_add.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("vector_add.py: nothing found")


@pytest.mark.parametrize("text, status", [("raise RuntimeError('no data')", 1), ("def f(:", 1), ("raise SystemExit(7)", 7)])
def test_a_script_that_fails_is_not_called_clean(kgvm, script, text, status):
    done = kgvm("--sanitize", script(text))
    assert done.returncode == status
    assert done.stdout.splitlines()[-1].endswith(f"the script ended with status {status}; nothing was found until then")
    assert "__main__.py" not in done.stderr


def test_one_line_is_one_finding_in_many_launches(kgvm, script):
    done = kgvm("--sanitize", script("""
        @triton.jit
        def low(x, n):
            tl.store(x - 1 - n, 1.0)

        for n in range(5):
            low[(2,)](torch.zeros(4, device="cuda"), n)
    """))
    assert done.returncode == 1 and "script.py: 1 finding\n" in done.stdout


def test_modules_run_as_with_m(kgvm, tmp_path, monkeypatch):
    (tmp_path / "kgvm_pack").mkdir()
    (tmp_path / "kgvm_pack" / "__init__.py").touch()
    (tmp_path / "kgvm_pack" / "part.py").write_text("import sys, torch; print(__name__, sys.argv[1:], torch.cuda.is_available())")
    monkeypatch.chdir(tmp_path)
    assert kgvm("-m", "kgvm_pack.part", "-x").stdout == "__main__ ['-x'] True\n"
    for missing in ("kgvm_none", "kgvm_none.part"):
        done = kgvm("-m", missing)
        assert done.returncode == 2 and f"no module {missing}" in done.stderr


def test_every_configuration_is_sanitized(kgvm, script):
    done = kgvm("--sanitize", script("""
        @triton.autotune(configs=[triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n"])
        @triton.jit
        def fill(x, n, B: tl.constexpr):
            tl.store(x + tl.arange(0, B), 1.0)

        fill[(1,)](torch.zeros(16, device="cuda"), 16)
    """))
    assert done.returncode == 1 and "element 16 of 'x', which has 16 elements" in done.stdout


@pytest.mark.parametrize("ending, status", [("raise ValueError('mine')", 1), ("raise SystemExit(5)", 5),
                                            ("raise SystemExit('words')", 1), ("import sys; sys.exit()", 0)])
def test_status_is_the_scripts_own(kgvm, script, ending, status):
    path = script(ending)
    for options in ((), ("--sanitize",)):
        done = kgvm(*options, path, "an", "--argument")
        assert done.returncode == status
        if "ValueError" in ending:
            assert "ValueError: mine" in done.stderr and "runpy" not in done.stderr


def test_arguments_and_neighbours_are_the_scripts(kgvm, script):
    path = script("import sys, neighbour; print(sys.argv[1:], __name__, neighbour.value)")
    (path.parent / "neighbour.py").write_text("value = 7")
    done = kgvm(path, "--sanitize", "-x")
    assert done.stdout == "['--sanitize', '-x'] __main__ 7\n", done.stderr


@pytest.mark.parametrize("arguments, environment, told", [
    (["missing.py"], {}, "missing.py is no file"),
    ([], {}, "script"),
    ([WRONG], {"KGVM_ON_FINDING": "shout"}, "on_finding is 'shout'; it takes raise, warn"),
    ([WRONG], {"KGVM_THREADS": "many"}, "threads is 'many'"),
    ([WRONG], {"KGVM_CHIP": "gfx942"}, "is no CUDA device"),
    ([WRONG], {"KGVM_CHIP": "../h200"}, "no chip card"),
    ([WRONG], {"KGBENCH_EXT_DIR": "/nowhere"}, "KGBENCH_EXT_DIR"),
])
def test_mistakes_of_the_user(kgvm, arguments, environment, told):
    done = kgvm(*arguments, **environment)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr


def test_chip_card_is_what_host_code_sees(kgvm, script):
    path = script("""
        print(torch.cuda.get_device_capability(), triton.runtime.driver.active.get_current_target().arch,
              torch.cuda.get_device_properties(0).multi_processor_count)
    """)
    assert kgvm(path).stdout == "(9, 0) 90 132\n"
    assert kgvm(path, KGVM_CHIP="sm_80").stdout.startswith("(8, 0) 80 108")


def test_a_view_ends_where_its_tensor_does_when_asked(kgvm, script):
    path = script("""
        @triton.jit
        def past(x, n):
            tl.store(x + n, 1.0)

        past[(1,)](torch.zeros(10, device="cuda")[2:6], 4)
        print("fine")
    """)
    assert kgvm(path).stdout == "fine\n"
    done = kgvm(path, KGVM_BOUNDS="tensor")
    assert done.returncode == 1 and "element 4 of 'x', which has 4 elements" in done.stderr


def test_cpu_tensors_are_refused_when_asked(kgvm, script):
    path = script("""
        @triton.jit
        def one(x):
            tl.store(x, 1.0)

        one[(1,)](torch.zeros(1, device="cuda"))
        one[(1,)](torch.zeros(1))
        print("fine")
    """)
    assert kgvm(path).stdout == "fine\n"
    done = kgvm(path, KGVM_CPU_TENSORS="refuse")
    assert done.returncode == 1 and f'line {line_of(path, "zeros(1))")}' in done.stderr and "(cpu tensor?)" in done.stderr


@sanitizer
def test_sanitize_sees_races_and_uninitialised_reads(kgvm, script):
    path = script("""
        @triton.jit
        def more(x, out):
            i = tl.arange(0, 16)
            tl.store(out + i, tl.load(out + i) + tl.load(x + i))

        @triton.jit
        def racy(out):
            tl.store(out, tl.program_id(0))

        x = torch.rand(16, device="cuda")
        written = torch.empty(16, device="cuda")
        written.zero_()
        filled = torch.empty_like(x)
        torch.add(x, x, out=filled)
        for good in (torch.zeros_like(x), written, filled):
            more[(1,)](x, good)
        print("clean so far", flush=True)
        empty = torch.empty_like(x).view(4, 4)
        more[(1,)](x, empty)
        more[(1,)](x, empty)
        racy[(4,)](torch.zeros(1, device="cuda"))
    """)
    done = kgvm("--sanitize", path)
    assert done.returncode == 1
    found = [line.split(":")[:2] for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert ["1. more", " uninitialised_read"] == found[0] and ["2. racy", " race"] in found, done.stdout
    assert f"script.py:{line_of(path, 'tl.load(out + i)')}" in done.stdout
    assert kgvm(path).returncode == 0


def test_two_arguments_in_one_piece_of_memory(kgvm, script):
    done = kgvm(script("""
        import numpy

        @triton.jit
        def move(x, y, n: tl.constexpr):
            tl.store(y + tl.arange(0, n), tl.load(x + tl.arange(0, n)))

        memory = numpy.arange(64, dtype=numpy.float32)
        move[(1,)](torch.from_numpy(memory[32:]), torch.from_numpy(memory[16:]), 32)
        print(memory[16:48].tolist() == list(range(32, 64)))
        whole = torch.arange(64.0, device="cuda")
        move[(1,)](whole[32:], whole[:40], 32)
        print(whole[:32].tolist() == list(range(32, 64)))
    """), KGVM_BOUNDS="tensor")
    assert done.stdout == "True\nTrue\n", done.stderr


def test_a_wait_for_another_program_ends(kgvm, script):
    done = kgvm(script("""
        @triton.jit
        def wait(x):
            while tl.atomic_add(x, 0) == 0:
                pass

        wait[(1,)](torch.zeros(1, dtype=torch.int32, device="cuda"))
    """), KGVM_SECONDS="0.5")
    assert done.returncode == 1 and "wait: deadline:" in done.stderr


@pytest.mark.parametrize("grid, told", [("(1, 70000)", "invalid argument"), ("(-1,)", "negative"), ("(1.5,)", "integer")])
def test_grids_that_no_gpu_takes(kgvm, script, grid, told):
    done = kgvm(script(f"""
        @triton.jit
        def one(x):
            tl.store(x, 1.0)

        one[{grid}](torch.zeros(1, device="cuda"))
    """))
    assert done.returncode == 1 and told in done.stderr
