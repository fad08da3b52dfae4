"""What the handler of this room works with, built once from the environment of its function."""

import os
import time
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.keys import utc_now
from storage.settings import UpkeepSettings
from upkeep.canary import check_site, post_result
from upkeep.orphans import OrphanSweeper


class UpkeepDependencies(NamedTuple):
    """What the handler of the schedules works with."""

    orphans: OrphanSweeper
    canary: Callable[[], None]


@cache
def upkeep_dependencies() -> UpkeepDependencies:
    """Return what the handler of the schedules works with."""
    settings = UpkeepSettings.read(os.environ)
    return UpkeepDependencies(
        orphans=OrphanSweeper(Bucket(clients.gateway().objects, settings.site_bucket), utc_now),
        canary=partial(check_site, settings.canary_url, post_result, time.sleep),
    )
