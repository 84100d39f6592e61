# Only what is said otherwise; the rest is that of de.
sandbox-level-crowd = Ein Wirbel
