"""What runs here, as front ends ask for it before they show anything."""

from tests.gateways.conftest import Served


async def test_one_agent_runs_here(served: Served) -> None:
    """SURF-1: the shape that CopilotKit reads."""
    answer = await served.client.get("/agui/info")
    told = answer.json()
    assert (answer.status_code, set(told)) == (200, {"version", "agents", "audioFileTranscriptionEnabled"})
    assert {name: agent["className"] for name, agent in told["agents"].items()} == {"weft": "HttpAgent"}
    assert told["agents"]["weft"]["name"] == "weft"


async def test_it_is_described_as_it_is(served: Served) -> None:
    """SURF-1: /openapi.json spells the fields as they go over the wire, and a run as a stream."""
    described = (await served.client.get("/openapi.json")).json()
    info = described["components"]["schemas"]["RuntimeInfo"]["properties"]
    assert set(info) == set((await served.client.get("/agui/info")).json())
    run = described["paths"]["/agui"]["post"]["responses"]["200"]["content"]
    assert set(run) == {"text/event-stream"}
