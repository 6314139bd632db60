"""Files with logins that cannot be read."""

from __future__ import annotations

import pytest

from wcspider.exceptions import SettingError
from wcspider.web.logins import read_netrc


def test_a_home_folder_of_nobody_is_an_error_of_the_setting() -> None:
    with pytest.raises(SettingError, match="WEBCAPTURE_NETRC: ~no-such-user/netrc: the home folder is not known"):
        read_netrc("~no-such-user/netrc")
