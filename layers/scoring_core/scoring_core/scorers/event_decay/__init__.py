"""Video-event decay."""
