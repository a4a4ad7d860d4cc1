"""JAX as feint uses it: compiled code is kept in the user's cache folder, so a second start is quick."""

import os
from pathlib import Path

import jax

SWITCH = "FEINT_CACHE"  # a folder to use instead, or "off"


def cache_folder() -> Path | None:
    """Where compiled code is kept, or None when FEINT_CACHE is "off"."""
    chosen = os.environ.get(SWITCH, "")
    if chosen.lower() in ("off", "0", "no", "false"):
        return None
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "feint" / "compiled"


def _keep_compiled_code() -> None:
    folder = cache_folder()
    if folder is None or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a read-only home costs speed, never the game
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


_keep_compiled_code()
