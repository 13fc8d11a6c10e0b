# SPDX-License-Identifier: BSD-2-Clause
"""Calls a function with each of several items, in as many processes as there are CPUs."""

import multiprocessing
import os

_function = None  # set before the worker processes are forked


def _call(item):
    return _function(item)


def each(function, items):
    """Yields (item, result of @function) in the order of @items; items and results are pickled."""
    global _function  # pylint: disable=global-statement
    _function = function
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from zip(items, pool.imap(_call, items))
