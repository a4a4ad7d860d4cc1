"""What a user did wrong, said in one sentence."""


class UserError(ValueError):
    """Bad input: the message says what was wrong and what would be right. Commands print it and exit with code 2."""


class NotSmall(UserError):
    """The game is too large to enumerate."""
