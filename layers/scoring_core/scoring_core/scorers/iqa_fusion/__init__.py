"""Image-quality fusion."""
