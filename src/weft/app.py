"""The composition root of the HTTP application: who answers which address, over which database."""

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from pydantic import BaseModel, Field

from weft import __version__
from weft.accounts import endpoints as accounts
from weft.accounts.authentication import KeyAuthentication, LocalAuthentication
from weft.agents import endpoints as agents
from weft.calls import endpoints as calls
from weft.calls.cache_alarms import COUNTERS
from weft.compose import Weft
from weft.console import endpoints as console
from weft.context.stages import StageTexts
from weft.gateways.routers import ROUTERS as GATEWAYS
from weft.http import problems
from weft.http.calling import Authenticator
from weft.http.limits import LimitBody
from weft.http.metrics import HttpMetrics
from weft.http.middleware import Browsers, Observe
from weft.http.openapi import DescribedApp
from weft.infra import endpoints as infra
from weft.kit.errors import WorldError
from weft.kit.log import get_logger
from weft.profiles import endpoints as profiles
from weft.runs import endpoints as runs
from weft.runs.engine import MakeTools
from weft.runtime import make_runtime
from weft.sessions import endpoints as sessions
from weft.settings import Auth, is_loopback
from weft.skills import endpoints as skills
from weft.workspaces import endpoints as workspaces

DESCRIPTION = """A self-hosted agent runtime. With `WEFT_AUTH=keys`, show a business key as
`Authorization: Bearer …` and name the user in `X-Weft-User`; a local installation asks for neither.
Errors are RFC 9457 problem details, times are ISO 8601 in UTC, money is a string, lists page by cursor."""

log = get_logger(__name__)
health = APIRouter(tags=["health"])


class Health(BaseModel):
    """How the server is."""

    status: str = Field(examples=["ok"])
    version: str = Field(examples=[__version__])


@health.get("/healthz")
async def alive() -> Health:
    """Whether the process answers."""
    return Health(status="ok", version=__version__)


@health.get("/readyz", responses={503: problems.one_documented(503)})
async def ready(request: Request) -> Health:
    """Whether it can do its work: the database answers."""
    weft: Weft = request.app.state.weft
    try:
        await weft.database.ping()
    except Exception as error:  # a driver has many ways to say so; callers hear what all of them mean
        log.warning("database_does_not_answer", error=repr(error))
        raise WorldError("the database does not answer; the log says why") from error
    return Health(status="ready", version=__version__)


@health.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    return Response(generate_latest(request.app.state.metrics), media_type=CONTENT_TYPE_LATEST)


async def authenticator_for(weft: Weft) -> Authenticator:
    """How callers are known, as the operator chose."""
    if weft.settings.auth is Auth.LOCAL:
        return await LocalAuthentication.prepare(weft.database)
    return KeyAuthentication(weft.database)


def create_app(
    weft: Weft, authenticator: Authenticator, texts: StageTexts | None = None, tools: MakeTools | None = None
) -> FastAPI:
    """The application over a Weft that is open; whoever opened it closes it."""
    settings = weft.settings
    app = DescribedApp(
        asks_for_keys=settings.auth is Auth.KEYS,
        title="Weft",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,  # these pages run scripts from elsewhere, on the origin of the console's cookie
        redoc_url=None,
    )
    app.state.weft = weft
    app.state.database = weft.database
    app.state.authenticator = authenticator
    app.state.metrics = CollectorRegistry()
    for counter in COUNTERS:
        app.state.metrics.register(counter)
    app.state.runtime = make_runtime(weft, texts, tools)
    app.state.desk = app.state.runtime.desk
    problems.install(app)
    for router in (
        health,
        profiles.router,
        sessions.router,
        calls.router,
        accounts.router,
        infra.router,
        skills.router,
        agents.router,
        runs.runs,
        runs.approvals,
        workspaces.router,
        *GATEWAYS,
        console.router,
    ):
        app.include_router(router)
    # the last one added is the first to see a request
    app.add_middleware(LimitBody, limit=settings.max_body_bytes)
    app.add_middleware(Browsers, only_local=is_loopback if settings.auth is Auth.LOCAL else None)
    app.add_middleware(Observe, metrics=HttpMetrics(app.state.metrics))
    return app
