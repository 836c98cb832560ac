"""Devices: where a tensor's numbers live. "cpu" is the only one so far."""

from __future__ import annotations

from ..errors import DeviceError

__all__ = ["CPU", "Device"]


class Device(str):
    """A device by name; equal to that name, so `x.device == "cpu"` holds.

    >>> import tensorplay as tp
    >>> tp.ones(2).device
    device(type='cpu')
    """

    __slots__ = ()

    def __new__(cls, name: str = "cpu") -> Device:
        """Raises DeviceError unless the device exists."""
        if str(name) != "cpu":
            raise DeviceError(f'device {name!r} is not available: the only device is "cpu". Leave device= out.')
        return super().__new__(cls, name)

    @property
    def type(self) -> str:
        """The kind of device, without a number."""
        return str(self)

    @property
    def index(self) -> int | None:
        """Which device of that kind; None for the only one."""
        return None

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"device(type={str(self)!r})"


CPU = Device("cpu")
"""The device of every tensor so far."""
