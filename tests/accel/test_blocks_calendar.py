"""The calendar of blocks, drawn for the terminal and for a browser."""

from eks_accelerators.accel.blocks.calendar_html import page
from eks_accelerators.accel.blocks.calendar_text import WIDTH, picture
from eks_accelerators.accel.blocks.reservations import block_report, lane_report
from eks_accelerators.capacity.blocks.calendar import lanes, span
from tests.capacity.blocks.test_calendar import DAY, DECEMBER, FIRST, LATER, NOVEMBER, OTHER, USERS, block


def reported(found):
    return [lane_report(lane, lambda held: block_report(held, None)) for lane in found]


def test_the_picture():
    found = lanes([NOVEMBER, DECEMBER, LATER, OTHER], USERS)
    now = FIRST - DAY

    assert picture(reported(found), *span(found, now), now) == PICTURE


PICTURE = """\
               11-28          11-30          12-02          12-04           12-06          12-08
                                 ▼ now
h100              ███████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒················▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
trn1.32xlarge                            ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒

█ active  ▒ scheduled  ░ over  · gap

h100: cr-1 4 x p5.48xlarge, 2026-11-28 11:30 to 2026-12-01 11:30 UTC, active
h100: cr-2 4 x p5.48xlarge, 2026-12-01 11:30 to 2026-12-03 11:30 UTC, scheduled
h100: cr-3 4 x p5.48xlarge, 2026-12-05 11:30 to 2026-12-08 11:30 UTC, scheduled
h100: nothing for 2 days, 2026-12-03 11:30 to 2026-12-05 11:30 UTC
trn1.32xlarge: cr-4 4 x trn1.32xlarge, 2026-12-01 11:30 to 2026-12-08 11:30 UTC, scheduled"""


def test_a_page_has_every_block_and_gap_and_takes_nothing_from_elsewhere():
    found = lanes([NOVEMBER, DECEMBER, LATER, block("cr-5", FIRST, 1, kind="<b>")], USERS)
    html = page("Blocks & gaps", found, *span(found, FIRST), FIRST)

    assert "<title>Blocks &amp; gaps</title>" in html
    assert all(f"{each.id}<br>" in html for each in (NOVEMBER, DECEMBER, LATER))
    assert "2 days without a block" in html
    assert "&lt;b&gt;" in html
    assert "http" not in html
    assert "<script" not in html


def test_a_picture_is_as_wide_as_it_may_be():
    far = block("cr-1", FIRST + 180 * DAY, 182)
    found = lanes([far], {"cr-1": "h100"})

    assert (
        max(map(len, picture(reported(found), *span(found, FIRST), FIRST).splitlines()[:3]))
        <= WIDTH + len("h100") + 2 + 4
    )
