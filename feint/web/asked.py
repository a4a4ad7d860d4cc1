"""What requests and answers look like: the models of which the OpenAPI description is made."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(max_length=200)]
Agent = Annotated[str, Field(min_length=1, max_length=200)]
Pace = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
Value = bool | int | float | Annotated[str, Field(max_length=100)]
Options = Annotated[
    dict[Annotated[str, Field(max_length=40)], Value | Annotated[list[Value], Field(max_length=40)]],
    Field(max_length=40),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Play(_Strict):
    """One person and agents."""

    game: Name
    level: Name = "fair"
    players: Annotated[int, Field(ge=1, le=100)] | None = None
    options: Options = {}
    name: Name = ""
    agents: Annotated[list[Agent], Field(max_length=100)] | None = None
    hints: bool = True
    pace: Pace = 0.8


class ChairAsked(_Strict):
    """A chair: of a person, of an agent, or open."""

    person: Name | None = None
    agent: Agent | None = None
    open: bool = False


class TableAsked(_Strict):
    """A table for several people, or for agents alone."""

    game: Name
    chairs: Annotated[list[ChairAsked], Field(min_length=1, max_length=100)]
    options: Options = {}
    hints: bool = False
    pace: Pace = 0.8
    public: bool = False


class Join(_Strict):
    """Somebody who would sit down."""

    name: Name = ""


class Seated(BaseModel):
    """A seat of one's own."""

    table: str
    chair: int
    token: str
    link: str


class Link(BaseModel):
    """A chair of a new table; agents have no link."""

    chair: int
    token: str | None
    link: str | None


class TableMade(BaseModel):
    """A new table."""

    table: str
    host: str
    chairs: list[Link]


class ChairTold(BaseModel):
    """Who sits in a chair."""

    chair: int
    name: str
    kind: str
    agent: str | None
    sitting_in: str | None
    character: str
    here: bool


class TableTold(BaseModel):
    """A table as anybody may know it."""

    table: str
    game: str
    title: str
    options: dict[str, Any]
    status: str
    chairs: list[ChairTold]
    games: int
    watchers: int
    hints: bool
    pace: float
    public: bool
    created: str


class TablesTold(BaseModel):
    tables: list[TableTold]


class Players(BaseModel):
    usual: int
    least: int
    most: int


class OptionTold(BaseModel):
    name: str
    usual: Any
    help: str
    least: float | None
    most: float | None
    choices: list[str]


class AgentTold(BaseModel):
    agent: str
    name: str
    character: str


class GameTold(BaseModel):
    """A game of the lobby."""

    name: str
    title: str
    sentence: str
    players: Players
    options: list[OptionTold]
    levels: dict[str, list[str]]
    agents: list[AgentTold]
    rules: str
    measure: str
    unit: str
    ready: bool


class Step(BaseModel):
    """A position of a finished game, and the move that was made there. Of views it has what is not as in the step before."""

    number: int
    seat: int | None
    action: int | None
    label: str | None
    told: str | None
    by: str | None
    scene: str
    views: list[dict[str, Any]]
    public: dict[str, Any]
    legal: list[int]


class Opening(BaseModel):
    deal: str
    nonce: str


class Reviewed(BaseModel):
    """A finished game with nothing hidden."""

    table: str
    game: str
    options: dict[str, Any]
    round: int
    names: list[str]
    agents: list[str | None]
    chairs: list[int]
    rewards: list[float]
    winners: list[bool]
    commitment: str
    opening: Opening
    end: str
    recap: str
    steps: list[Step]


class JobAsked(_Strict):
    """A command of feint, word by word, without the first."""

    words: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=60)]


class FileTold(BaseModel):
    name: str
    href: str


class JobTold(BaseModel):
    """An experiment."""

    job: str
    words: list[str]
    status: str
    created: float
    told: str
    share: float | None
    left: float | None
    output: str
    resumable: bool
    files: list[FileTold]


class JobsTold(BaseModel):
    jobs: list[JobTold]
    now: float  # by the server's clock


class RowTold(BaseModel):
    """An estimate and its interval."""

    label: str
    value: float
    low: float
    high: float


class PlotTold(BaseModel):
    """Estimates on one scale; a line is drawn at `usual`."""

    title: str
    says: str
    unit: str
    places: int
    rows: list[RowTold]
    usual: float | None


class StudyTold(BaseModel):
    """Published experiments that can be run again."""

    name: str
    title: str


class Fared(BaseModel):
    """How people fared at tables with an agent."""

    games: int
    won: int
    share: float
    low: float
    high: float


class Rated(BaseModel):
    """An agent of the rating list; without a rating where no tournament was run."""

    agent: str
    rating: float | None
    low: float | None
    high: float | None
    games: int
    people: Fared | None


class Health(BaseModel):
    status: str
    tables: int
    connections: int
    prepared: bool


class Refused(BaseModel):
    """What was refused, in a word and in a sentence."""

    error: str
    message: str
