# SPDX-License-Identifier: BSD-2-Clause
"""Calls one function with each of several items, in one process for each CPU."""

import multiprocessing
import os

_function = None  # set before the processes are forked


def _call(item):
    return _function(item)


def each(function, items):
    """(item, result of @function), in the order of @items; both are pickled."""
    global _function  # pylint: disable=global-statement
    _function = function
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from zip(items, pool.imap(_call, items))
