"""Files of one row group in which every leaf has pages of PAGE rows, and which of these a query reads."""

from scan_counts import run

PAGE = 10  # rows
ROWS = 4 * PAGE
# For pyarrow; pages end between batches, and no page is large enough to go on.
IN_PAGES = {
    "max_rows_per_page": PAGE,
    "write_batch_size": PAGE,
    "data_page_size": 1,
    "write_page_index": True,
    "use_dictionary": False,
}


def kept(df, condition):
    """(ids, how many pages the query reads) of a file of ROWS rows: late rows would hide pages."""
    rows, counts = run(df.where(condition).select("id"))
    assert counts.groups[0] == 1
    return sorted(r.id for r in rows), (ROWS - counts.rows_skipped) // PAGE
