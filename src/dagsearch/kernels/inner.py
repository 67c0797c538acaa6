"""How numba compiles what only other kernels call: as far as callers need it, and no further.

A caller takes the intermediate code of what it calls into its own, optimises all of it and makes machine code of it.
Numba does both for each callee beforehand as well, and again at each level of calls: half of the time that kernels
would take to compile, for code that nobody runs. What callers get is the same to the last bit.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _NoEngine:
    """In place of the engine that would make machine code."""

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing to set: environments hold the Python objects of a function, and kernels have none."""


class _IntermediateCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, ready to be taken into that of others."""

    codegen: ClassVar = _NoEngine()

    def _optimize_final_module(self) -> None:
        """Left to whoever calls the kernel."""

    def _finalize_final_module(self) -> None:
        """As numba does it, but the engine is not told."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class InnerCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, but for what becomes of the code."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = _IntermediateCode(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)
