# SPDX-License-Identifier: BSD-2-Clause
"""Calls one function with each of several items, in as many processes as there are CPUs."""

import multiprocessing
import os

_function = None  # that of the processes, which are forked when it is known


def _call(item):
    return _function(item)


def each(function, items):
    """(item, what @function returns of it), in the order of @items; both are pickled."""
    global _function  # pylint: disable=global-statement
    _function = function
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from zip(items, pool.imap(_call, items))
