# SPDX-License-Identifier: Apache-2.0
"""Which memory host code has allocated and not written: what a kernel reads there first is a finding."""
from torch.multiprocessing.reductions import StorageWeakRef

# Functions that leave the contents of their arguments alone; any other may have written them.
HARMLESS = frozenset("""__get__ view reshape view_as expand expand_as permute transpose t mT unsqueeze squeeze flatten
    unflatten narrow select unbind split chunk __getitem__ detach size stride numel nelement dim ndimension __len__
    data_ptr element_size storage_offset untyped_storage is_contiguous is_floating_point is_complex get_device as_strided
    empty_like zeros_like ones_like full_like rand_like randn_like new_empty new_empty_strided new_zeros new_ones new_full
    record_stream requires_grad_ __hash__ __repr__ __format__ save_for_backward mark_dirty""".split())
MAKERS = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
_unwritten = {}  # address of a storage -> weak reference to it


def is_unwritten(address):
    held = _unwritten.get(address)
    if held is None:
        return False
    if held.expired():  # freed, and the address may be somebody else's by now
        del _unwritten[address]
        return False
    return True


def written(address):
    _unwritten.pop(address, None)


def watch(name, result, given):
    """Notes one torch function by its name: its result, and the tensors that it was given."""
    if name in MAKERS:
        storage = result.untyped_storage()
        if storage.nbytes():
            _unwritten[storage.data_ptr()] = StorageWeakRef(storage)
    elif _unwritten and name not in HARMLESS:
        for tensor in given:
            try:
                written(tensor.untyped_storage().data_ptr())
            except (RuntimeError, NotImplementedError):  # a tensor without storage
                continue
