"""The papers' claims, decided by numbers: ours, and those that the papers print."""
