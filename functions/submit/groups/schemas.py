"""Answers about groups."""

from datetime import datetime

from pydantic import Field

from storage.access.groups import Group
from submit.schemas.base import View
from submit.schemas.boards import RowView


class GroupCard(View):
    """A group."""

    code: str = Field(description="Who has it may read the group's boards and join.")
    name: str


class MemberView(View):
    """A member of a group."""

    player: str
    name: str = Field(description="The name under which the player joined.")


class GroupView(GroupCard):
    """A group and its members, in order of their names."""

    made_at: datetime
    members: list[MemberView]


class MembershipView(GroupCard):
    """A group, and who joined or left it."""

    player: str
    player_name: str


class GroupRowView(RowView):
    """A member's row of a board; `rank` and `tied` are those in the group."""

    board_rank: int | None = Field(
        description="The rank on the whole board, which may be some seconds older; null on a board of more than 20,000 "
        "rows, and while the board switches its version."
    )


class GroupRowsView(GroupCard):
    """The rows of a group's members on a board, in order."""

    benchmark: str
    board: str
    version: str = Field(description="The version of the benchmark that the rows are of.")
    members: int = Field(description="How many members the group has.")
    total: int = Field(description="How many of them have a row.")
    board_total: int | None = Field(description="How many rows the whole board has; null where `board_rank` is.")
    rows: list[GroupRowView]
    next: int | None = Field(description="The `from` of the rows that follow; null at the end.")


def view_group(group: Group) -> GroupView:
    """Return the view of a group."""
    members = sorted(group.members.items(), key=lambda member: (member[1].casefold(), member[0]))
    return GroupView(
        code=group.code,
        name=group.name,
        made_at=group.made_at,
        members=[MemberView(player=player, name=name) for player, name in members],
    )
