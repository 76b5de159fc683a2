"""What performs the runs of a fleet: processes of this machine, or the workers of Dask."""
