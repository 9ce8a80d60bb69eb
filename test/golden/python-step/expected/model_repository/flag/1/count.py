def share_of(words, blocked):
    """The share of blocked words; 0 if there are no words."""
    return sum(word in blocked for word in words) / max(1, len(words))
