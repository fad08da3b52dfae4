"""The audit trail: what people did, for administrators."""
