"""The addresses of the lab."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from feint.terminal.screen import titled
from feint.version import __version__
from feint.web import asked, finished, places, queries, socket, states
from feint.web.experiments import add_experiments, watch
from feint.web.guard import Guard, Rate
from feint.web.jobs import Jobs
from feint.web.lab import Lab, chair_for
from feint.web.match import AGENT
from feint.web.refusals import Refusal
from feint.web.reviews import Reviews

LOOKED_BACK = 8  # finished games that are kept as they were told; a long one takes a megabyte or two
SMALL = 4096  # bytes: less than that is sent as it is
STATIC = Path(__file__).parent / "static"
Id = Annotated[str, InPath(min_length=1, max_length=16, pattern="^[0-9a-z]+$")]
Number = Annotated[int, InPath(ge=0, le=10**6)]
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": asked.Refused, "description": "Refused; nothing was changed."}
    for status in (400, 401, 403, 404, 409, 410, 413, 422, 429, 503)
}


def make_app(lab: Lab, jobs: Jobs, names: Sequence[str] = ()) -> Guard:
    """The application, and the guard before it."""
    reviews = Reviews()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        lab.start()
        watching = asyncio.ensure_future(watch(jobs))
        yield
        watching.cancel()
        await asyncio.to_thread(jobs.close)
        reviews.close()
        await lab.stop()

    app = FastAPI(
        title="feint lab",
        version=__version__,
        lifespan=life,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=REFUSALS,
    )
    app.add_middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=5)
    _refuse(app, lab)
    _add_api(app, lab, reviews)
    add_experiments(app, lab, jobs)
    _add_pages(app)

    @app.websocket("/ws/{id}")
    async def ws(websocket: WebSocket, id: str) -> None:
        await socket.serve(lab, websocket, id)

    return Guard(app, names, lab.limits.body)


def _refuse(app: FastAPI, lab: Lab) -> None:
    """Whatever goes wrong is said in a word and a sentence."""

    def answer(refused: Refusal) -> JSONResponse:
        lab.metrics.refused.labels(refused.error).inc()
        return JSONResponse(refused.told(), refused.status)

    @app.exception_handler(Refusal)
    async def refused(_: Request, refused: Refusal) -> JSONResponse:
        return answer(refused)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, wrong: RequestValidationError) -> JSONResponse:
        first = wrong.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body") or "The request"
        return answer(Refusal("malformed", f"{where}: {first['msg']}."))

    @app.exception_handler(SQLAlchemyError)
    async def lost(_: Request, failed: SQLAlchemyError) -> JSONResponse:
        lab.log("database", reason=str(failed).splitlines()[0])
        return answer(Refusal("busy", socket.LOST))

    @app.exception_handler(HTTPException)
    async def plain(_: Request, failed: HTTPException) -> JSONResponse:
        told = {"error": "malformed" if failed.status_code == 405 else "not_found", "message": str(failed.detail)}
        return JSONResponse(told, failed.status_code, headers=failed.headers)


def _add_pages(app: FastAPI) -> None:
    async def page() -> Response:
        index = STATIC / "index.html"
        if not index.exists():
            raise Refusal("no_such_game", "The page is not installed here; the addresses under /api are.")
        return FileResponse(index, headers={"cache-control": "no-cache"})

    for address in ("/", "/table/{id}", "/watch/{id}", "/review/{id}", "/review/{id}/{number}", "/run", "/report/{id}"):
        app.get(address, include_in_schema=False)(page)
    if STATIC.is_dir():
        app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _add_api(app: FastAPI, lab: Lab, reviews: Reviews) -> None:
    rate = Rate(lab.limits.new_tables)
    games: list[dict[str, Any]] = []
    looked_back: dict[
        tuple[str, int], str
    ] = {}  # finished games as they were told last: all who played one ask for it at once

    def limit(request: Request) -> None:
        rate.check(request.client.host if request.client else "")

    @app.get("/api/games", response_model=list[asked.GameTold])
    async def list_games() -> list[dict[str, Any]]:
        """What can be played, in the order of the lobby."""
        if not games:
            games[:] = await lab.engine(
                lambda: [lab.offers.told(name) for name in lab.offers.names]
            )  # once, whoever asks meanwhile
        return [each | {"ready": lab.preparing.is_ready(lab.offers.usual[each["name"]])} for each in games]

    @app.post("/api/play", response_model=asked.Seated, status_code=201)
    async def play(request: Request, body: asked.Play) -> dict[str, Any]:
        """Seat one person at once, with agents in all other chairs."""
        limit(request)
        game = lab.offers.make(body.game, body.players, body.options)
        agents = lab.offers.company(game, body.level) if body.agents is None else body.agents
        return await lab.seat_one(game, agents, body.name, body.hints, body.pace)

    @app.post("/api/tables", response_model=asked.TableMade, status_code=201)
    async def new_table(request: Request, body: asked.TableAsked) -> dict[str, Any]:
        """A table for several people, or for agents alone."""
        limit(request)
        for each in body.chairs:
            if (each.person is not None) + (each.agent is not None) + each.open != 1:
                raise Refusal("malformed", "A chair is a person's, an agent's or open: one of them.")
        players = body.options.get("players", len(body.chairs))
        game = lab.offers.make(body.game, None, body.options | {"players": players})
        chairs = [chair_for(each.person, each.agent) for each in body.chairs]
        alone = all(chair.kind == AGENT for chair in chairs)
        return await lab.new_table(game, chairs, body.hints, body.pace, body.public or alone)

    @app.get("/api/tables", response_model=asked.TablesTold)
    async def list_tables() -> dict[str, Any]:
        """Tables that are on and that anybody may watch."""
        return {"tables": [await told(id) for id in await lab.listed()]}

    @app.get("/api/tables/{id}", response_model=asked.TableTold)
    async def one_table(id: Id) -> dict[str, Any]:
        """A table as anybody may know it."""
        return await told(id)

    async def told(id: str) -> dict[str, Any]:
        found, room = await lab.found(id), lab.rooms.get(id)
        game = lab.offers.usual.get(found.table.game)
        chairs = states.told_chairs(room) if room else kept_chairs(found)
        over = bool(found.games) and found.games[-1].ended is not None
        waiting = not found.games or (over and any(chair.kind == "open" for chair in found.chairs))
        status = "closed" if found.table.closed else "waiting" if waiting else "over" if over else "playing"
        return {
            "table": id,
            "game": found.table.game,
            "title": titled(game) if game else found.table.game,
            "options": found.table.options,
            "status": status,
            "chairs": chairs,
            "games": len(found.games),
            "watchers": room.watchers if room else sum(each.watchers for each in found.present),
            "hints": found.table.hints,
            "pace": found.table.pace,
            "public": found.table.public,
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(found.table.created)),
        }

    def kept_chairs(found: queries.Whole) -> list[dict[str, Any]]:
        names = queries.names(found)
        return [
            {"chair": number, "name": names[number], "kind": chair.kind, "character": ""}
            | {"here": any(number in each.chairs for each in found.present)}
            | {"agent": chair.agent if chair.kind == AGENT else None}
            | {"sitting_in": chair.agent if chair.kind == "person" else None}
            for number, chair in enumerate(found.chairs)
        ]

    @app.post("/api/tables/{id}/join", response_model=asked.Seated, status_code=201)
    async def join(request: Request, id: Id, body: asked.Join) -> dict[str, Any]:
        """Take the first open chair."""
        limit(request)
        room, token = await lab.room(id), lab.new_token()
        chair = await places.join(room, body.name, token)
        return {"table": id, "chair": chair, "token": token, "link": f"/table/{id}#{token}"}

    @app.get("/api/tables/{id}/games/{number}", response_model=asked.Reviewed)
    async def review(id: Id, number: Number) -> Response:
        """A finished game with nothing hidden any more."""
        if (id, number) not in looked_back:
            found, game, moves = await past(id, number)
            await lab.preparing.game(lab.offers.make(found.table.game, None, found.table.options))
            looked_back[id, number] = await asyncio.to_thread(told_back, found.table, game, moves)
            while len(looked_back) > LOOKED_BACK:
                looked_back.pop(next(iter(looked_back)))
        return Response(looked_back[id, number], media_type="application/json")

    @app.get("/api/tables/{id}/games/{number}/record")
    async def record(id: Id, number: Number) -> JSONResponse:
        """A finished game as the file that `feint replay` takes."""
        found, game, moves = await past(id, number)
        told = await lab.engine(finished.record, found.table, game, moves)
        name = f"{found.table.game}-{id}-{number + 1}.json"
        return JSONResponse(told, headers={"content-disposition": f'attachment; filename="{name}"'})

    @app.get("/api/reviews/{id}/{number}")
    async def analysis(id: Id, number: Number, begin: bool = True) -> dict[str, Any]:
        """What each decision of a finished game was worth, as far as that has been worked out; ask again until it is `finished`."""
        if not begin:
            return reviews.known((id, number))
        found, game, moves = await past(id, number)
        return reviews.ask((id, number), lambda: finished.recorded(found.table, game, moves))

    def told_back(*game: Any) -> str:
        """Written as it is: to check a long game against its description takes longer than to play it again."""
        return json.dumps(finished.review(*game), separators=(",", ":"))

    async def past(id: str, number: int) -> tuple[queries.Whole, queries.GameRow, list[queries.MoveRow]]:
        found = await lab.found(id)
        if number >= len(found.games):
            raise Refusal("no_such_game", f"This table has had {len(found.games)} games.")
        game = found.games[number]
        if game.ended is None:
            raise Refusal("still_on", "The game is still on: it can be looked back at when it is over.")
        return found, game, await lab.database.read(lambda connection: queries.moves_of(connection, id, number))

    @app.get("/health", response_model=asked.Health)
    async def health() -> dict[str, Any]:
        """Whether the server can keep what is done."""
        await lab.database.read(lambda connection: connection.execute(sa.text("SELECT 1")))
        return {"status": "ok", "tables": len(lab.rooms), "connections": lab.guests, "prepared": lab.prepared}

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(lab.metrics.told(), media_type="text/plain; version=0.0.4")
