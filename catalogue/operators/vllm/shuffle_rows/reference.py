# SPDX-License-Identifier: Apache-2.0
"""out[i] = input_tensor[dst2src_map[i]]."""


def shuffle_rows(input_tensor, dst2src_map):
    return input_tensor[dst2src_map.to(int)]
