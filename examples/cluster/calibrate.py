# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibrates a network on the workers of Dask, MPI, joblib or a pool, and writes its
table, which has the same bytes wherever it is made.

usage: calibrate.py NETWORK SAMPLES.npy|.npz -o TABLE.json [--input-scale=1/255]
           [--engine=dask|mpi|joblib|processes|threads|none] [--workers=2]
           [--scheduler=ADDRESS]

With mpi: mpiexec -n 3 python3 -m mpi4py.futures calibrate.py ... --engine=mpi
"""

import argparse
import concurrent.futures
import contextlib

import qbackend


@contextlib.contextmanager
def open_engine(name, workers, scheduler):
    """What `executor=` takes."""
    if name == "none":
        yield None
    elif name == "dask":
        import distributed

        # Without a scheduler, with workers of this machine.
        where = {"address": scheduler} if scheduler else {"n_workers": workers}
        with distributed.Client(**where) as client, client.get_executor() as executor:
            yield qbackend.Cluster(executor, shards=workers)
    elif name == "mpi":
        import mpi4py.futures

        with mpi4py.futures.MPIPoolExecutor() as executor:
            yield qbackend.Cluster(executor, shards=workers)
    elif name == "joblib":
        from joblib.externals.loky import get_reusable_executor

        yield qbackend.Cluster(get_reusable_executor(workers), shards=workers)
    elif name == "threads":
        with concurrent.futures.ThreadPoolExecutor(workers) as executor:
            yield executor
    else:
        # A function: workers that are lost are replaced.
        yield lambda: concurrent.futures.ProcessPoolExecutor(workers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network")
    parser.add_argument("samples")
    parser.add_argument("-o", required=True, dest="table")
    parser.add_argument("--input-scale")
    parser.add_argument(
        "--engine",
        default="dask",
        choices=("dask", "mpi", "joblib", "processes", "threads", "none"),
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scheduler")
    args = parser.parse_args()
    model = qbackend.load(args.network)
    samples = args.samples
    if args.engine == "none":
        import numpy

        samples = numpy.load(samples)
    with open_engine(args.engine, args.workers, args.scheduler) as executor:
        model.calibrate(
            samples,
            input_scale=args.input_scale,
            statistics="mergeable",
            executor=executor,
        )
    with open(args.table, "w", encoding="utf-8") as file:
        file.write(model.calibration)


if __name__ == "__main__":
    main()
