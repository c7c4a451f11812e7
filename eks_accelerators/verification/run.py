"""One verification: what the API says, then the checks on nodes, in a namespace of their own that is gone at the end."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.verification.api_checks import api_findings
from eks_accelerators.verification.checks import checks_of
from eks_accelerators.verification.cluster import AskedCluster, ClusterState, look
from eks_accelerators.verification.device_checks import Level, Scope, VerificationCheck
from eks_accelerators.verification.findings import VerificationFinding, by_cause
from eks_accelerators.verification.jobs import CheckJobs
from eks_accelerators.verification.servers import server_findings
from eks_accelerators.verification.space import Space
from eks_accelerators.verification.tasks import CheckTask, GangMaker, Images


@dataclass(frozen=True, slots=True)
class Verification:
    """What is needed for one. ``images`` are by their name in `charts-values/charts.yaml`.

    ``gangs`` makes the pods that measure between nodes. ``tell`` is told what is under way, ``note`` what is worth keeping.
    ``unscheduled_seconds`` a pod of a check may wait for its node. Nothing is interrupted while it is ``shielded``.
    """

    stack: ResolvedStack
    cluster: AskedCluster
    images: Images
    gangs: GangMaker
    level: Level = Level.QUICK
    tell: Callable[[str], None] = lambda _text: None
    note: Callable[[str], None] = lambda _text: None
    unscheduled_seconds: float = 60.0
    shielded: Callable[[], AbstractContextManager[None]] = nullcontext
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def findings(self) -> list[VerificationFinding]:
        """Everything that is found, one finding for each cause. Raises `ClusterError` and `AnotherVerificationError`."""
        self.tell("asking the API")
        state = self._look()
        found = list(api_findings(self.stack, state))
        if self.level is Level.API:
            return by_cause(found)
        space = Space(self.cluster, self.tell, self.note, self.shielded, self.now)
        with space.made():
            jobs = CheckJobs(self.cluster, self.unscheduled_seconds, space.renew)
            for check in checks_of(self.level):
                found += self._checked(check, jobs)
        self.tell("asking the servers")
        found += server_findings(self.stack, state, self.cluster)
        return by_cause(found)

    def scope(self) -> Scope:
        """What its checks are about, as the cluster is now."""
        return Scope(self.stack, self._look(), self.images, self.gangs)

    def _look(self) -> ClusterState:
        return look(self.cluster, claims=any(group.is_claimed for group in self.stack.groups.values()))

    def _checked(self, check: VerificationCheck, jobs: CheckJobs) -> list[VerificationFinding]:
        """One check, its tasks at a time, wave by wave."""
        found, tasks = list[VerificationFinding](), list[CheckTask]()
        for each in check.tasks(self.scope()):
            if isinstance(each, CheckTask):
                tasks.append(each)
            else:
                found.append(each)
        for wave in sorted({task.wave for task in tasks}):
            begun = [(task, jobs.begin(task)) for task in tasks if task.wave == wave]
            for task, job in begun:
                self.tell(f"{check.name} on {', '.join(task.subject.nodes) or task.subject.where}")
                found += task.findings(jobs.outputs(task, job))
        return found
