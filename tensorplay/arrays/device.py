"""Devices: where a tensor's numbers live. "cpu" is the only one so far."""

from __future__ import annotations

from ..errors import DeviceError

__all__ = ["CPU", "Device"]


class Device:
    """A device by kind and number; equal to its name, so `x.device == "cpu"` holds.

    Raises DeviceError unless the device exists.

    >>> import tensorplay as tp
    >>> tp.ones(2).device
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    def __init__(self, name: str | Device = "cpu") -> None:
        if str(name) != "cpu":
            raise DeviceError(f'device {str(name)!r} is not available: the only device is "cpu". Leave device= out.')
        self.type = "cpu"
        self.index: int | None = None

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, (Device, str)) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.type

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"


CPU = Device("cpu")
"""The device of every tensor so far."""
