"""Language and look: chosen by the browser, or by the person."""

from tests.dashboard.conftest import Room


async def test_the_browser_says_the_language_until_the_person_does(room: Room) -> None:
    async with room.client() as client:
        asked = await client.get("/", headers={"accept-language": "de"})
        said = await client.post("/preferences", data={"language": "en", "back": "/"})
        then = await client.get("/", headers={"accept-language": "de"})

    assert '<html lang="de"' in asked.text
    assert (said.status_code, said.headers["location"]) == (303, "/")
    assert '<html lang="en"' in then.text


async def test_a_chosen_look_stays_until_the_system_is_asked_again(room: Room) -> None:
    async with room.client() as client:
        await client.post("/preferences", data={"theme": "dark"})
        dark = await client.get("/")
        await client.post("/preferences", data={"theme": "system"})
        system = await client.get("/")

    assert 'data-theme="dark"' in dark.text
    assert "data-theme" not in system.text
