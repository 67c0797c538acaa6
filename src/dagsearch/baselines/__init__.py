"""Parts of the methods that dagsearch is compared with which are no search over DAGs: one file each."""
