"""What models learn from and what a training would learn: materials, reports, times."""
