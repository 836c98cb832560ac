"""Where numbers live: one namespace per device, the same names in each."""
