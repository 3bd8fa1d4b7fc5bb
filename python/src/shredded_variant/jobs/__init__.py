"""What runs on Spark: sessions, inference, maintenance, verification."""
