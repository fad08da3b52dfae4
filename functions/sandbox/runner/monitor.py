"""Follows one run: reads its output and enforces its limits."""

import contextlib
import os
import selectors
import signal
import time
from dataclasses import dataclass, field

from runner.kernel import KernelUsage, answer_of, divided_memory_bytes, full_memory_bytes
from runner.processes import Run, RunProcesses
from runner.protocol import RunLimits, RunReport, RunStatus

STDOUT_BYTES = 1 << 20
STDERR_BYTES = 64 << 10
OWN_PROCESSES = 8

_MIB = 1 << 20
_CHECK_EVERY_SECONDS = 0.05
_MEMORY_CHECKS = 16
_CHECKS_OF_THE_SAME = 4
_BETWEEN_CHECKS_SECONDS = 0.003
_POLL_SECONDS = 0.002
_DRAIN_SECONDS = 2.0
_SOCKETS_PER_PROCESS = 4
_LOCKS_PER_PROCESS = 64


@dataclass
class RunMonitor:
    """Follows one run until it has ended or must be ended."""

    run: Run
    zygote: int
    stdout: int
    stderr: int
    limits: RunLimits
    scratch: str
    before: KernelUsage
    processes: RunProcesses
    survivors: bool = False
    report: RunReport = field(default_factory=RunReport)

    def follow(self) -> RunReport:
        """Read output until the run ends or must be ended, and kill what is left."""
        report = self.report
        started = time.monotonic()
        pidfd = answer_of(os.pidfd_open, self.run.pid)
        with selectors.DefaultSelector() as selector:
            for pipe in (self.stdout, self.stderr):
                os.set_blocking(pipe, False)
                selector.register(pipe, selectors.EVENT_READ)
            longest_wait = _POLL_SECONDS  # without a pidfd, nothing wakes this process when the run ends
            if pidfd is not None:
                selector.register(pidfd, selectors.EVENT_READ)
                longest_wait = _CHECK_EVERY_SECONDS
            exceeded = self._read_until_end(selector, started, longest_wait=longest_wait)
            report.seconds = time.monotonic() - started
            if exceeded is not None:
                with contextlib.suppress(ProcessLookupError):  # its zygote may have collected it
                    os.kill(self.run.pid, signal.SIGKILL)
            self._collect(exceeded)
            self.survivors = self.processes.kill(besides=self.zygote) and exceeded is None
            if pidfd is not None:
                selector.unregister(pidfd)
                os.close(pidfd)
            self._drain(selector)
        if len(report.stdout) > STDOUT_BYTES:
            del report.stdout[STDOUT_BYTES:]
            report.ended = RunStatus.STDOUT_FULL if report.ended is RunStatus.EXITED else report.ended
        return report

    def _read_until_end(
        self, selector: selectors.BaseSelector, started: float, *, longest_wait: float
    ) -> RunStatus | None:
        """Return the limit that ends the run; None if it ends by itself."""
        deadline = started + self.limits.timeout_seconds
        next_check = started + _CHECK_EVERY_SECONDS
        while True:
            now = time.monotonic()
            if now >= deadline:
                return RunStatus.TIMED_OUT
            if now >= next_check:
                if exceeded := self._find_exceeded_limit():
                    return exceeded
                next_check = time.monotonic() + _CHECK_EVERY_SECONDS
            wait = max(0.0, min(deadline, next_check, now + longest_wait) - now)
            for pipe in {key.fd for key, _ in selector.select(wait)} & {self.stdout, self.stderr}:
                if not self._read(pipe):
                    selector.unregister(pipe)
            if len(self.report.stdout) > STDOUT_BYTES:
                return RunStatus.STDOUT_FULL
            if self.run.has_ended():
                return None

    def _read(self, pipe: int) -> bool:
        """Read what a pipe holds, and return whether more can come."""
        try:
            chunk = os.read(pipe, 1 << 16)
        except BlockingIOError:
            return True
        report = self.report
        kept, limit = (report.stdout, STDOUT_BYTES + 1) if pipe == self.stdout else (report.stderr, STDERR_BYTES)
        room = limit - len(kept)
        kept += chunk[:room]
        if pipe == self.stderr:
            report.stderr_dropped_bytes += max(0, len(chunk) - room)
        return bool(chunk)

    def _drain(self, selector: selectors.BaseSelector) -> None:
        deadline = time.monotonic() + _DRAIN_SECONDS
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not self._read(key.fd):
                    selector.unregister(key.fd)

    def _collect(self, exceeded: RunStatus | None) -> None:
        status, peak_kib = self.run.collect()
        report = self.report
        report.peak_memory_bytes = max(report.peak_memory_bytes, peak_kib * 1024)
        code = os.waitstatus_to_exitcode(status)
        if exceeded is not None:
            report.ended = exceeded
        elif code < 0:
            report.ended, report.signal = RunStatus.SIGNALLED, -code
        else:
            report.code = code

    def _find_exceeded_limit(self) -> RunStatus | None:
        limits = self.limits
        allowed = limits.memory_mib * _MIB
        memory = self._measure_memory(allowed)
        self.report.peak_memory_bytes = max(self.report.peak_memory_bytes, memory)
        now, before = KernelUsage.read(self.scratch), self.before
        # Data in sockets and file locks take memory of the kernel that no process shows, so their number is limited.
        processes = limits.processes + OWN_PROCESSES
        too_many_sockets = now.sockets - before.sockets > _SOCKETS_PER_PROCESS * processes
        too_many_locks = now.locks - before.locks > _LOCKS_PER_PROCESS * processes
        if memory > allowed or too_many_sockets or too_many_locks:
            return RunStatus.MEMORY_FULL
        if now.file_bytes - before.file_bytes > limits.files_mib * _MIB:
            return RunStatus.FILES_FULL
        return None

    def _measure_memory(self, allowed: int) -> int:
        """Return how many bytes the processes have; look again before it is too much.

        A child that is about to become another program still has the memory of its parent, all of it. Where one follows
        another, each look finds other processes: they are looked at more often than those that stay.
        """
        pids = self.processes.find(besides=self.zygote)
        # The first figure is cheap, but counts in full what runs share with the zygote and with each other.
        memory = sum(map(full_memory_bytes, pids))
        same = 0
        for number in range(_MEMORY_CHECKS):
            if memory <= allowed or same == _CHECKS_OF_THE_SAME:
                break
            time.sleep(_BETWEEN_CHECKS_SECONDS if number else 0)
            before, pids = set(pids), self.processes.find(besides=self.zygote)
            same = same + 1 if before == set(pids) else 0
            memory = sum(map(divided_memory_bytes, pids))
        return memory
