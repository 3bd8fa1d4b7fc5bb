"""`layout`: what Parquet files hold, from their footers alone."""
