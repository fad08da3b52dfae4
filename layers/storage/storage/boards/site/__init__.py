"""The pages of the site as they are served: what programs and readers without scripts see, and the app takes over."""
