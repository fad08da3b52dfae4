"""What the handler of this room works with, built once from the environment of its function."""

import os
import time
from functools import cache
from typing import NamedTuple

from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.keys import utc_now
from storage.settings import UpkeepSettings
from upkeep.canary import Canary, post_result
from upkeep.orphans import OrphanSweeper


class UpkeepDependencies(NamedTuple):
    """What the handler of the schedules works with."""

    orphans: OrphanSweeper
    canary: Canary


@cache
def upkeep_dependencies() -> UpkeepDependencies:
    """Return what the handler of the schedules works with."""
    settings = UpkeepSettings.read(os.environ)
    return UpkeepDependencies(
        orphans=OrphanSweeper(Bucket(clients.gateway().objects, settings.site_bucket), utc_now),
        canary=Canary(settings.canary_url, post_result, time.sleep),
    )
