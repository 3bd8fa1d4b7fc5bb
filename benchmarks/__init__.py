"""`make bench`: the times of queries and writes of shredded variants, as ratios to plain columns and other engines."""
