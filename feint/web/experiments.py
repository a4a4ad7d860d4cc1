"""The addresses of experiments and of the rating list."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import FastAPI, Query
from fastapi import Path as InPath
from fastapi.responses import FileResponse

from feint.registry import find_study, study_names
from feint.web import asked
from feint.web.database import GAMES, TABLES
from feint.web.jobs import Jobs
from feint.web.lab import Lab
from feint.web.plots import plots
from feint.web.ratings import Played, listed

LOOK = 1.0  # seconds between looks at what has ended
RATED = 100_000  # games of people, the latest, of which the list is made

Name = Annotated[str, InPath(min_length=1, max_length=20, pattern="^[0-9a-f]+$")]
File = Annotated[str, InPath(min_length=1, max_length=60)]


async def watch(jobs: Jobs) -> None:
    """See to jobs as long as the lab is open."""
    while True:
        await asyncio.to_thread(jobs.look)
        await asyncio.sleep(LOOK)


def add_experiments(app: FastAPI, lab: Lab, jobs: Jobs) -> None:
    @app.get("/api/jobs", response_model=asked.JobsTold)
    async def list_jobs(since: Annotated[float, Query(ge=0, le=1e12)] = 0.0) -> dict[str, Any]:
        """Experiments, the newest first: those under way, and all that have ended since a time, `now` of an earlier answer."""
        jobs.check_open()
        now = time.time()
        return {"jobs": await asyncio.to_thread(jobs.all_told, since), "now": now}

    @app.get("/api/studies", response_model=list[asked.StudyTold])
    async def studies() -> list[dict[str, str]]:
        """The studies, those of other packages too."""
        return await asyncio.to_thread(_studies)

    @app.post("/api/jobs", response_model=asked.JobTold, status_code=201)
    async def new_job(body: asked.JobAsked) -> dict[str, Any]:
        """Run a command of feint."""
        return jobs.told(await asyncio.to_thread(jobs.add, body.words))

    @app.get("/api/jobs/{name}", response_model=asked.JobTold)
    async def one_job(name: Name) -> dict[str, Any]:
        """How far it is, and what came of it."""
        jobs.check_open()
        return jobs.told(name)

    @app.post("/api/jobs/{name}/cancel", response_model=asked.JobTold)
    async def cancel(name: Name) -> dict[str, Any]:
        """Stop it; what was done is kept."""
        jobs.check_open()
        await asyncio.to_thread(jobs.cancel, name)
        return jobs.told(name)

    @app.post("/api/jobs/{name}/resume", response_model=asked.JobTold)
    async def resume(name: Name) -> dict[str, Any]:
        """Go on with what was stopped."""
        jobs.check_open()
        await asyncio.to_thread(jobs.resume, name)
        return jobs.told(name)

    @app.get("/api/jobs/{name}/plots", response_model=list[asked.PlotTold])
    async def plotted(name: Name) -> list[dict[str, Any]]:
        """What a match or a tournament has shown so far, to be drawn: estimates with their intervals."""
        jobs.check_open()
        return await asyncio.to_thread(plots, jobs.folder / name, jobs.get(name).words[0])

    @app.get("/api/jobs/{name}/files/{file}", response_class=FileResponse)
    async def result(name: Name, file: File) -> FileResponse:
        """A file that an experiment has made."""
        jobs.check_open()
        found = jobs.file(name, file)
        return FileResponse(found, filename=f"{name}-{found.name}", media_type="application/octet-stream")

    @app.get("/api/ratings", response_model=dict[str, list[asked.Rated]])
    async def ratings() -> dict[str, list[dict[str, Any]]]:
        """By game, agents from the strongest down by the latest tournament that was run here, and how people fare against each."""
        played = await lab.database.read(_played)
        lists = await asyncio.to_thread(listed, jobs, played)
        return {game: rows for game, rows in lists.items() if game in lab.offers.names}


def _studies() -> list[dict[str, str]]:
    return [{"name": name, "title": find_study(name).title} for name in study_names()]


def _played(connection: sa.Connection) -> list[Played]:
    """The latest finished games, as the rating list needs them."""
    query = (
        sa.select(TABLES.c.game, GAMES.c.agents, GAMES.c.winners)
        .join(GAMES, GAMES.c.table == TABLES.c.id)
        .where(GAMES.c.ended.is_not(None))
        .order_by(GAMES.c.ended.desc())
        .limit(RATED)
    )
    return [(game, agents, winners) for game, agents, winners in connection.execute(query) if agents and winners]
