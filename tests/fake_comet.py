"""A worker that speaks the protocol and scores by counting, and makes the faults that its model's name asks for.

A segment's score is the number of words of each part's last sentence, the source's times 100, the translation's times
10, plus a thousandth of all words of context. ``fake/…`` models need references, ``qe/…`` models read none.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def words(text: str) -> int:
    return len(text.split())


def score(segment: dict[str, list[str]]) -> float:
    factors = {"src": 100, "mt": 10, "ref": 1}
    own = sum(factors[name] * words(texts[-1]) for name, texts in segment.items())
    context = sum(words(text) for texts in segment.values() for text in texts[:-1])
    return own + context / 1000


def model_of(name: str) -> dict[str, object]:
    family, _, rest = name.partition("/")
    return {
        "checkpoint": f"/models/{name}/checkpoints/model.ckpt",
        "hash": "0123456789abcdef" * 4,
        "class": "unified_metric" if rest == "unified" else "regression_metric",
        "pooling": "max" if rest == "largest" else "avg",
        "references": "unused" if family == "qe" else "needed",
    }


def main(log: str | None = None) -> None:
    faults = ""
    print(json.dumps({"protocol": 1, "versions": {"unbabel-comet": "2.2.7", "torch": "2.13.0"}}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if log:
            with Path(log).open("a", encoding="utf-8") as stream:
                stream.write(line)
        if request["request"] == "open":
            faults = request["model"].partition("/")[2]
            if faults == "absent":
                answer = {"error": "the model is not there", "kind": "missing"}
            else:
                answer = model_of(request["model"])
        elif faults == "dies":
            print("out of memory", file=sys.stderr, flush=True)
            sys.exit(9)
        elif faults == "sleeps":
            time.sleep(60)
            continue
        elif faults == "babbles":
            print("Loading weights…", flush=True)
            continue
        elif faults == "breaks":
            answer = {"error": "RuntimeError: shapes", "kind": "failed"}
        else:
            answer = {"scores": [score(segment) for segment in request["segments"]], "device": "cpu"}
            if faults == "short":
                answer["scores"] = answer["scores"][:-1]
            if faults == "nan":
                answer["scores"][0] = float("nan")
        print(
            json.dumps({"id": 0 if faults == "confused" and "scores" in answer else request["id"], **answer}),
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
