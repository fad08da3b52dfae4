"""The whole stack on one machine: moto for AWS, wired as `template.yaml` says, the same handlers, the site."""
