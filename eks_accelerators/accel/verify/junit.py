"""A verification as JUnit's XML, as CI systems read it: one test case for each finding.

Source: the schema of the Jenkins xUnit plugin, and what GitLab and GitHub's reporters take of it; read 2026-11-22.
"""

from xml.etree import ElementTree as ET

from eks_accelerators.accel.reports.verify import VerifyReport
from eks_accelerators.settings.printable import shown
from eks_accelerators.verification.severity import FindingSeverity


def junit(report: VerifyReport) -> str:
    """The document. What was not verified is skipped."""
    failed = sum(each.severity.failed for each in report.findings)
    skipped = sum(each.severity is FindingSeverity.NOT_VERIFIED for each in report.findings)
    counts = {"tests": len(report.findings), "failures": failed, "skipped": skipped, "errors": 0}
    suite = ET.Element("testsuite", {"name": f"accel verify {shown(report.stack)}", "time": str(report.seconds)})
    suite.attrib |= {name: str(count) for name, count in counts.items()}
    suite.set("timestamp", report.began.isoformat(timespec="seconds"))
    for each in report.findings:
        case = ET.SubElement(suite, "testcase", {"classname": shown(each.where), "name": each.code, "time": "0"})
        if each.severity.failed:
            failure = ET.SubElement(case, "failure", {"type": each.severity.value, "message": shown(each.found)})
            expected, after = (
                f"expected: {each.expected} ({each.source})",
                f"next: {each.next_step} (docs/{each.runbook})",
            )
            lines = [expected, *each.evidence, after]
            failure.text = "\n".join(map(shown, lines))
        elif each.severity is FindingSeverity.NOT_VERIFIED:
            ET.SubElement(case, "skipped", {"message": shown(each.found)})
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f"{ET.tostring(root, encoding='unicode', xml_declaration=True)}\n"
