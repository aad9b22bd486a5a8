"""Settings of the dashboard: who is let in must be said without contradiction."""

import pytest

from tests.core.settings.conftest import ConfigFolder

OPEN = (
    "cannot be off while the dashboard is reachable from the network - set "
    'host = "127.0.0.1", or list a proxy in trusted_proxies'
)


@pytest.mark.parametrize(
    "web",
    [
        "",
        "login = false",
        'login = false\nhost = "::1"',
        'login = false\nhost = "0.0.0.0"\ntrusted_proxies = ["172.18.0.5"]',
        'user_header = "Remote-User"\ntrusted_proxies = ["172.18.0.0/16", "fd00::1"]',
        'session = "12h"',
    ],
)
def test_these_go_together(home: ConfigFolder, web: str) -> None:
    home.write("daemon.toml", f"[web]\n{web}\n")

    assert home.load().daemon.web.login is ("login = false" not in web)


@pytest.mark.parametrize(
    ("web", "mistake"),
    [
        ('host = "0.0.0.0"\nlogin = false', f"daemon.toml:3 web.login: {OPEN}"),
        (
            'user_header = "Remote-User"',
            "daemon.toml:2 web.user_header: is accepted only from trusted proxies"
            " - list them in trusted_proxies",
        ),
        (
            'trusted_proxies = ["10.0.0.1"]\nuser_header = "Remote User"',
            'daemon.toml:3 web.user_header: "Remote User" is not the name of a header',
        ),
        (
            'trusted_proxies = ["0.0.0.0/0"]',
            'daemon.toml:2 web.trusted_proxies: "0.0.0.0/0" would trust everyone',
        ),
        (
            'trusted_proxies = ["traefik"]',
            'daemon.toml:2 web.trusted_proxies: "traefik" is neither an address nor a network'
            " - write one such as 172.18.0.0/16",
        ),
        ('session = "0s"', "daemon.toml:2 web.session: must be greater than 0"),
    ],
)
def test_these_do_not(home: ConfigFolder, web: str, mistake: str) -> None:
    home.write("daemon.toml", f"[web]\n{web}\n")

    assert home.errors() == [mistake]


def test_one_mistake_is_reported_once_though_others_hang_on_it(home: ConfigFolder) -> None:
    web = 'host = "everywhere"\ntrusted_proxies = ["traefik"]\nuser_header = "X"\nlogin = false'
    home.write("daemon.toml", f"[web]\n{web}\n")

    assert [mistake.split(":")[1] for mistake in home.errors()] == [
        "2 web.host",
        "3 web.trusted_proxies",
    ]


def test_an_address_of_a_proxy_is_a_network_of_one(home: ConfigFolder) -> None:
    home.write("daemon.toml", '[web]\ntrusted_proxies = ["172.18.0.5", " 10.1.2.3/8 "]\n')

    assert home.load().daemon.web.trusted_proxies == ("172.18.0.5/32", "10.0.0.0/8")


@pytest.mark.parametrize(
    ("web", "address"),
    [
        ("", "http://127.0.0.1:8484"),
        ('host = "::1"\nport = 80', "http://[::1]:80"),
        ('host = "::"\nbase_path = "/clerk/"', "http://localhost:8484/clerk"),
        ("port = 0", "http://127.0.0.1:PORT"),
        ('public_url = "https://my.house:444/"', "https://my.house:444"),
        ('public_url = "https://my.house"\nbase_path = "/clerk"', "https://my.house/clerk"),
        ('public_url = "https://my.house/clerk/"\nbase_path = "/clerk"', "https://my.house/clerk"),
    ],
)
def test_links_begin_with_the_address_that_a_browser_understands(
    home: ConfigFolder, web: str, address: str
) -> None:
    home.write("daemon.toml", f"[web]\n{web}\n")

    assert home.load().daemon.web.public_address() == address


def test_the_port_that_was_free_is_part_of_the_address(home: ConfigFolder) -> None:
    home.write("daemon.toml", "[web]\nport = 0\n")

    assert home.load().daemon.web.public_address(4711) == "http://127.0.0.1:4711"


def test_an_address_for_people_is_one_of_the_web(home: ConfigFolder) -> None:
    home.write("daemon.toml", '[web]\npublic_url = "clerk.example.org"\n')

    assert home.errors() == [
        "daemon.toml:2 web.public_url: must begin with http:// or https:// and contain a host name"
    ]
