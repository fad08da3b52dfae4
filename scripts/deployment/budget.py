"""The budget of the account, made by API: many regions have no such resource of CloudFormation."""  # noqa: INP001 — scripts are no package

from typing import Any

from botocore.exceptions import ClientError


def keep_budget(budgets: Any, account: str, stack: str, *, dollars: int, address: str) -> str | None:
    """Make, change or delete the budget that is named as the stack.

    It is of the whole account, because costs are known by stack only where somebody has activated that tag.

    Args:
        budgets: A client of us-east-1.
        account: Its number.
        stack: The name of the stack.
        dollars: A month; 0 for no budget.
        address: Is mailed at 80 % spent and 100 % forecast, besides others that were added; empty for no budget.

    Returns:
        What was done, in words; None if it was so already.

    Raises:
        ClientError: The account may have no budget: it is younger than a day, or IAM may not see its bills.
    """
    names = {"AccountId": account, "BudgetName": stack}
    is_wanted = bool(dollars and address)
    kept = _read(budgets, names)
    if (not is_wanted and kept is None) or (is_wanted and kept and kept[0] == dollars and address in kept[1]):
        return None
    if kept is not None:
        budgets.delete_budget(**names)
    if not is_wanted:
        return "the budget is deleted"
    limit = {"Amount": str(dollars), "Unit": "USD"}
    subscribers = [{"SubscriptionType": "EMAIL", "Address": address}]
    budgets.create_budget(
        AccountId=account,
        Budget={"BudgetName": stack, "BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": limit},
        NotificationsWithSubscribers=[
            {"Notification": _notify(kind, threshold), "Subscribers": subscribers}
            for kind, threshold in (("ACTUAL", 80), ("FORECASTED", 100))
        ],
    )
    return f"{address} is mailed at 80 % of ${dollars} a month, and if more is forecast"


def _notify(kind: str, threshold: int) -> dict[str, Any]:
    return {"NotificationType": kind, "ComparisonOperator": "GREATER_THAN", "Threshold": threshold}


def _read(budgets: Any, names: dict[str, str]) -> tuple[float, set[str]] | None:
    """Return dollars and addresses of a budget; None if there is none."""
    try:
        limit = budgets.describe_budget(**names)["Budget"]["BudgetLimit"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "NotFoundException":
            return None
        raise
    notifications = budgets.describe_notifications_for_budget(**names)["Notifications"]
    addresses = {
        subscriber["Address"]
        for notification in notifications
        for subscriber in budgets.describe_subscribers_for_notification(**names, Notification=notification)[
            "Subscribers"
        ]
    }
    return float(limit["Amount"]), addresses
