"""The examples of README.md and docs/, found and run as a reader would; `python -m tests.docs` writes their output anew."""
