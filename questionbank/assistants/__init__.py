"""Tools for language-model assistants, over the Model Context Protocol at `/mcp`."""
