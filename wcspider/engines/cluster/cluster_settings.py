"""The settings of a cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from wcspider.exceptions import SettingError

LOCAL = "local"
"""The address of a cluster on this machine, and the choice to continue on this machine when the cluster is lost."""

STOP = "stop"
"""The choice to stop the crawl when the cluster is lost."""

ON_LOSS = (LOCAL, STOP)
TLS = "tls://"
_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5}")


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """The cluster of a crawl, without the settings that a crawl without a cluster has as well."""

    address: str
    """The address of the scheduler, or `LOCAL`."""

    ca: str = ""
    """The file with the certificate of the authority, for an address with tls://."""

    certificate: str = ""
    key: str = ""
    on_loss: str = LOCAL
    """Whether the crawl continues on this machine (`LOCAL`) or stops (`STOP`) when the cluster is lost."""

    wait: float = 60.0
    """How many seconds the crawl waits for the scheduler, or for a worker that it can use."""

    workers: int = 1
    """The number of workers of a cluster on this machine."""

    def check(self) -> None:
        """Raise `SettingError` if the cluster cannot be used from here."""
        if find_spec("distributed") is None:
            raise SettingError(
                "WEBCAPTURE_CLUSTER needs the package distributed",
                "run: pip install '.[cluster]' in the folder of the sources",
            )
        if self.address.startswith(TLS):
            files = {"CA": self.ca, "CERT": self.certificate, "KEY": self.key}
            for name, file in files.items():
                if not Path(file).is_file():
                    raise SettingError(f"WEBCAPTURE_CLUSTER_{name} is {file!r}, but tls:// needs a file there")


def is_address(text: str) -> bool:
    """Tell whether a text is the address of a cluster; empty means no cluster."""
    return text in ("", LOCAL) or _ADDRESS.fullmatch(text) is not None
