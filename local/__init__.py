"""The whole stack on one machine: the engine for AWS, wired as `template.yaml` says, the same handlers, the site."""
