# SPDX-License-Identifier: Apache-2.0
"""python -m kgbench.kgvm [--sanitize] script.py [args...] (or -m module): runs a script with its Triton kernels on the CPU, checked."""
import argparse
import importlib.util
import os
import runpy
import sys
import traceback

USERS_MISTAKE = 2
DESCRIPTION = """Runs a Python script whose Triton kernels need a GPU, without one: kernels run on kgbench's virtual
machine, every access checked, and device 'cuda' means the CPU (docs/run-triton-without-a-gpu.md)."""
EPILOG = """Exit status: the script's own; 1 when a finding ended it. With --sanitize: 1 if anything was found, 0 if
nothing was and the script ended well, 2 for a mistake in the command. Settings come from the environment:
KGVM_ON_FINDING=raise|warn, KGVM_THREADS, KGVM_SECONDS, KGVM_AUTOTUNE=first|all, KGVM_CHIP, KGVM_TF32, KGVM_ORDER,
KGVM_SEED, KGVM_POISON, KGVM_BOUNDS=storage|tensor, KGVM_CPU_TENSORS=accept|refuse,
KGVM_CHECKS=all|races,uninitialised,..."""


def parse(argv):
    parser = argparse.ArgumentParser(prog="python -m kgbench.kgvm", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--sanitize", action="store_true",
                        help="check more (races, uninitialised reads), go on after a finding, run every autotuning "
                             "configuration, and list the findings at the end")
    parser.add_argument("-m", dest="module", action="store_true", help="`script` is a module's name: -m pytest tests/")
    parser.add_argument("script", help="the Python file")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="passed to the script")
    return parser.parse_args(argv)


def mistake(text):
    print(f"error: {text}", file=sys.stderr)
    return USERS_MISTAKE


def _exists(module):
    sys.path[0] = os.getcwd()
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # its package is missing, or the name is none
        return False


def run(script, args, module=False):
    """Runs the script as `python script args` would, or `python -m script args`. Returns its exit status."""
    sys.argv = [script, *args]
    try:
        if module:
            sys.path[0] = os.getcwd()
            runpy.run_module(script, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(script))
            runpy.run_path(script, run_name="__main__")
    except SystemExit as leave:
        if leave.code is None or isinstance(leave.code, int):
            return leave.code or 0
        print(leave.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        _print_error(error, script)
        return 1
    return 0


def _print_error(error, script):
    """The traceback from the script's first frame on: what lies above is ours."""
    step = error.__traceback__
    while step is not None and step.tb_frame.f_code.co_filename != script:
        step = step.tb_next
    if step is None and not isinstance(error, SyntaxError):  # a module's own frames have other names
        step = error.__traceback__
    traceback.print_exception(type(error), error, step)


def summary(found, script, status):
    """What --sanitize prints at the end."""
    if not found and status:
        return f"kgvm: {script}: the script ended with status {status}; nothing was found until then"
    if not found:
        return f"kgvm: {script}: nothing found"
    lines = [f"kgvm: {script}: {len(found)} finding" + ("" if len(found) == 1 else "s")]
    return "\n".join(lines + [f"{number}. {fault}" for number, fault in enumerate(found, 1)])


def main(argv=None):
    options = parse(argv)
    if options.module:
        if not _exists(options.script):
            return mistake(f"there is no module {options.script} here")
    elif not os.path.isfile(options.script):
        return mistake(f"{options.script} is no file: give the Python script to run")
    from . import activate, faults, settings
    from .settings import BadSetting, problem
    changes = {}
    if options.sanitize:
        changes = {name: value for name, value in (("on_finding", "warn"), ("autotune", "all"))
                   if not os.environ.get(f"KGVM_{name.upper()}")}
    try:
        if problem is not None:
            raise problem
        from . import launch
        activate(**changes)
        if options.sanitize and not settings.checks and launch.has_sanitizer():
            settings.update(checks="all")
    except (BadSetting, ImportError) as error:
        return mistake(str(error))
    status = run(options.script, options.args, options.module)
    sys.stdout.flush()
    if not options.sanitize:
        return status
    print(summary(faults.found, options.script, status), flush=True)
    return 1 if faults.found else status


if __name__ == "__main__":
    sys.exit(main())
