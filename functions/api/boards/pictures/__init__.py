"""Pictures of 1200 × 630 pixels that previews of links show."""
