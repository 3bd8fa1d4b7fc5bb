"""`make bench`: what a path of a shredded variant costs beside plain columns and beside peers, in one run."""
