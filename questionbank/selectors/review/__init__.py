"""The queue of paraphrases and those that write them."""
