"""Word problems whose language is regular, answered by what they say. Torch-free; decision 70 has the measurements."""
