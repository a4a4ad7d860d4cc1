"""The lab in the browser: its server, and the page in `static`. It takes what `pip install feint[web]` adds."""
