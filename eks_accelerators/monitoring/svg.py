"""What every SVG picture here is made of. Each says in words too what it shows, for who does not see it."""

import xml.etree.ElementTree as ET


def page(width: float, height: float, title: str, description: str, style: str) -> ET.Element:
    """A picture of so many pixels, with its title, description and CSS, and a rectangle of the class `page` behind all."""
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "role": "img",
            "aria-labelledby": "title description",
        },
    )
    ET.SubElement(root, "title", {"id": "title"}).text = title
    ET.SubElement(root, "desc", {"id": "description"}).text = description
    ET.SubElement(root, "style").text = style
    ET.SubElement(root, "rect", {"class": "page", "width": str(width), "height": str(height)})
    return root


def rectangle(parent: ET.Element, kind: str, x: float, y: float, width: float, height: float, radius: int = 0) -> None:
    """A rectangle of the CSS class ``kind``, whose corners have ``radius``."""
    place = {"x": x, "y": y, "width": width, "height": height, **({"rx": radius} if radius else {})}
    ET.SubElement(parent, "rect", {"class": kind, **{key: f"{value:.6g}" for key, value in place.items()}})


def text(parent: ET.Element, kind: str, x: float, y: float, words: str, anchor: str = "") -> None:
    """One line of text of the CSS class ``kind``, which begins at ``x`` or is anchored there."""
    more = {"text-anchor": anchor} if anchor else {}
    ET.SubElement(parent, "text", {"class": kind, "x": f"{x:.6g}", "y": f"{y:.6g}", **more}).text = words


def written(root: ET.Element, indent: str = "  ") -> str:
    """The picture as the content of a file."""
    ET.indent(root, indent)
    return ET.tostring(root, encoding="unicode") + "\n"
