def share_of(words, blocked):
    """The share of the words that are blocked; 0 without words."""
    return sum(word in blocked for word in words) / max(1, len(words))
