#!/bin/bash
# A fit on four nodes of a Slurm cluster: sbatch docs/slurm.sh. Points and results are on a file system that all nodes
# see; temporary files are on each node's own disk. Numbers of processes that are powers of two tell each other least.
#SBATCH --job-name=wgp
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@180
#SBATCH --output=%x-%j.log
set -uo pipefail

module load openmpi  # as the cluster calls it: the one that wgp-mpi was built with
export TMPDIR=${SLURM_TMPDIR:-/tmp}

points=points.npy model=model.wgp checkpoint=fit.ck
resume=(--checkpoint "$checkpoint")
if [[ -e $checkpoint ]]; then resume=(--resume "$checkpoint"); fi

# Three minutes before the time is up this shell is told to end, and tells mpirun in the way that it passes on.
mpirun --map-by "slot:PE=$SLURM_CPUS_PER_TASK" \
  wgp-mpi fit "$points" --manifold spd:3 --latent 2 "${resume[@]}" -o "$model" &
trap 'kill -USR1 $!' TERM
wait $!
code=$?
if ((code > 128)); then wait $!; code=$?; fi  # the signal ended the first wait, not the fit
exit "$code"
