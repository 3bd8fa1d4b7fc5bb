"""`Shape`: the typed paths of a variant as a value, which parses, prints, merges and compares."""
