"""What pupils' answers say about questions: classical figures, options by ability, a latent trait model. NumPy only."""
