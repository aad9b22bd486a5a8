"""What builds the image."""
