"""What others wrote is shown as it is: on a terminal, in tables and in figures."""

import io

import pytest
from matplotlib.figure import Figure

from feint.arena.show import Paper, as_text, drawn, grid
from feint.errors import UserError
from feint.seating import Person, names_of
from feint.visible import shortened, visible


def test_what_does_something_to_a_terminal_is_spelled_out():
    assert visible("\x1b[2J\r\a\x9b\x7f") == r"\x1b[2J\r\x07\x9b\x7f"
    assert visible("\u202emoc\u2066\u2028") == r"\u202emoc\u2066\u2028"
    assert visible("\udcff") == r"\udcff"
    assert visible("a\nb", keep="\n") == "a\nb"


@pytest.mark.parametrize("name", ["Ann", "山田　太郎", "👩‍👩‍👧", "نام‌ها", "é", "[/x]", "$^$", ""])
def test_names_of_all_scripts_stay_as_they_are(name):
    assert visible(name) == name


def test_of_what_is_long_the_ends_are_shown():
    assert shortened("abc", 3) == "abc"
    assert shortened("a" * 500 + "z" * 500, 30) == "a" * 17 + " ... " + "z" * 8


def test_a_table_takes_nothing_for_markup():
    table = grid("[/x]", ["[red]", "n"])
    table.add_row("policy:[run]/p.npz", "[1, 2]")
    table.add_row("[/x]\x1b[2J", "\\[")
    table.add_row("山田", "x" * 5000)
    text = as_text(table)
    for shown in ("[/x]", "[red]", "policy:[run]/p.npz", r"[/x]\x1b[2J", "\\["):
        assert shown in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_what_is_printed_takes_nothing_for_markup():
    file = io.StringIO()
    Paper(file=file).print("Saved as [/x]/:smile:\x1b[2J.\nDone.", soft_wrap=True)
    assert file.getvalue() == "Saved as [/x]/:smile:\\x1b[2J.\nDone.\n"


@pytest.mark.parametrize("name", ["$^$", "$", r"\$^$", "a$b$c", "$x^{2$", "\x1b[2J"])
def test_a_figure_takes_nothing_for_a_formula(name):
    figure = Figure()
    figure.subplots().set_title(drawn(name))
    figure.savefig(file := io.StringIO(), format="svg")
    assert file.getvalue()


def test_people_have_names_that_can_be_shown():
    assert names_of(["me:山田", "policy:[x]", "smart"]) == ["山田", "[x]", "Smart"]
    assert names_of(["me:\x1b[2J"]) == [r"\x1b[2J"]
    assert len(names_of(["me:" + "x" * 1000])[0]) < 60
    for name in ("\x1b[2J", "a\nb", "\u202eann", "x" * 61):
        with pytest.raises(
            UserError, match=r"^A name must have at most 60 characters, all of them visible, not '.*'\.$"
        ):
            Person(name)
