"""What is kept of people and for how long: deleting a person, exporting their data, retention."""
