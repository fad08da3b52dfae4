"""The models of stored JSON. They need pydantic, so what must start fast does not import them."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from storage.gateway.schema import Schema


class FrozenModel(BaseModel):
    """A model of stored JSON."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)


class StoredModel(FrozenModel):
    """An object of a bucket, whose JSON has a schema number; reading a newer one raises NewerSchema.

    Each subclass sets `kind`. A `schema_number` of 0 stands for the number that is written.
    """

    kind: ClassVar[Schema]

    schema_number: int = Field(default=0, alias="schema", validate_default=True)

    @field_validator("schema_number")
    @classmethod
    def check_schema(cls, number: int) -> int:
        """Raise NewerSchema if this number cannot be read."""
        cls.kind.check(number)
        return number or cls.kind.number

    def to_body(self, *, exclude_none: bool = False) -> bytes:
        """Return the bytes of the object, in the schema that this code writes."""
        current = self.model_copy(update={"schema_number": self.kind.number})
        return current.model_dump_json(exclude_none=exclude_none).encode()
