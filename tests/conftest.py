"""What holds for every test."""

from hypothesis import settings

# A busy machine is no defect: no example fails for being slow.
settings.register_profile("laurel", deadline=None, print_blob=True)
settings.load_profile("laurel")
