"""Rules that answer word problems with regular language from their wording. Torch-free; measurements in decision 70."""
