"""Files of one row group whose leaves have pages of PAGE rows, and how many of the pages a query reads."""

from scan_counts import run

PAGE = 10  # rows
ROWS = 4 * PAGE
# Options of pyarrow: a page ends after each batch of PAGE rows.
IN_PAGES = {
    "max_rows_per_page": PAGE,
    "write_batch_size": PAGE,
    "data_page_size": 1,
    "write_page_index": True,
    "use_dictionary": False,
}


def kept(df, condition):
    """(ids, number of pages read): selects `id` alone, since a leaf that is read late would hide pages."""
    rows, counts = run(df.where(condition).select("id"))
    assert counts.groups[0] == 1
    return sorted(r.id for r in rows), (ROWS - counts.rows_skipped) // PAGE
