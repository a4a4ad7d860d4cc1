"""Run the examples of the pages named (all, unless any are) and write what they print into them."""

import sys
import tempfile
from pathlib import Path

from tests.docs.examples import PAGES, ROOT, Reader, examples, tidy

wanted = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
for page in wanted:
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        printed = [(each, reader.run(each)) for each in examples(page)]
    source = page.read_text(encoding="utf-8")
    for example, output in reversed(printed):
        if example.output and "...\n" not in example.expected:
            start, end = example.output
            source = source[:start] + tidy(output) + source[end:]
    page.write_text(source, encoding="utf-8")
    print(f"{page.relative_to(ROOT)}: {len(printed)} examples")
