"""Enumerations that Triton implements in C++."""

from __future__ import annotations


class NativeEnum(int):
    """A value of an enumeration, printed as pybind11 prints it."""

    name: str
    printed = ""

    def __new__(cls, value: int, name: str):
        member = int.__new__(cls, value)
        member.name = name
        return member

    @classmethod
    def members(cls, *names: str) -> list:
        """Defines values 0, 1, ... with these names, as attributes of the enumeration."""
        made = [cls(value, name) for value, name in enumerate(names)]
        for member in made:
            setattr(cls, member.name, member)
        return made

    @property
    def value(self) -> int:
        return int(self)

    def __str__(self) -> str:
        return f"{self.printed or type(self).__name__}.{self.name}"

    def __repr__(self) -> str:
        return f"<{self}: {int(self)}>"
