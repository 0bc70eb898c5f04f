#!/bin/bash
# A fit on four nodes of a PBS cluster: qsub docs/pbs.sh. Points and results are on a file system that all nodes see;
# temporary files are on each node's own disk. Numbers of processes that are powers of two tell each other least.
#PBS -N wgp
#PBS -l select=4:ncpus=16:mpiprocs=2:ompthreads=8
#PBS -l walltime=02:00:00
#PBS -j oe
set -uo pipefail
cd "$PBS_O_WORKDIR"

module load openmpi  # as the cluster calls it: the one that wgp-mpi was built with

points=points.npy model=model.wgp checkpoint=fit.ck
resume=(--checkpoint "$checkpoint")
if [[ -e $checkpoint ]]; then resume=(--resume "$checkpoint"); fi

# The best model of 110 minutes, should that not be enough: PBS does not say when the time is nearly up.
exec mpirun --map-by "slot:PE=$OMP_NUM_THREADS" -x TMPDIR \
  wgp-mpi fit "$points" --manifold spd:3 --latent 2 --time-limit 6600 "${resume[@]}" -o "$model"
