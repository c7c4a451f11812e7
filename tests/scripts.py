"""Scripts that are no modules of a package, as modules."""

import importlib.util


def loaded(path):
    """The module that the script at ``path`` is."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
