"""What Parquet files hold, from their footers alone."""
