"""How often the tests call two systems of equal quality different, at p ≤ .05.

Corpora are made up: quality varies by document, and for each system within a document, as it does in real ones, so
that segments of one document are not independent.

    python benchmarks/false_alarms.py --corpora 300
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from endophora.metrics.word_f import WordF
from endophora.statistics.significance import bootstrap, randomise
from endophora.statistics.units import choose_units

DOCUMENTS_AND_SEGMENTS = ((8, 20), (30, 20), (123, 16))
ALPHA = 0.05


def counts(rng: np.random.Generator, documents: int, segments: int) -> npt.NDArray[np.float64]:
    """Return the words of two equal systems, (2, rows, 3): a Poisson number a segment, right by the document's odds."""
    words = rng.poisson(1.0, size=documents * segments)
    shared = rng.normal(0.4, 0.8, size=documents)
    own = shared + rng.normal(0, 0.8, size=(2, documents))
    matched = rng.binomial(words, 1 / (1 + np.exp(-np.repeat(own, segments, axis=1))))
    return np.stack([matched, *[np.broadcast_to(words, matched.shape)] * 2], axis=-1).astype(float)


def main() -> None:
    """Print one line for each size of corpus and unit of resampling."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=int, default=100)
    options = parser.parse_args()
    score = WordF(("tag",)).score
    for documents, segments in DOCUMENTS_AND_SEGMENTS:
        numbers = np.repeat(np.arange(documents), segments).tolist()
        for units in (choose_units(numbers), choose_units(numbers, "segments")):
            rng = np.random.default_rng(0)
            alarms = np.zeros(3)
            for seed in range(options.corpora):
                drawn = counts(rng, documents, segments)
                tests = (
                    randomise(drawn, score, units, trials=1000, seed=seed),
                    bootstrap(drawn, score, units, two_sided=True, seed=seed),
                    bootstrap(drawn, score, units, seed=seed),
                )
                alarms += [test.p_values[1] <= ALPHA for test in tests]
            randomised, two_sided, shifted = alarms / options.corpora
            print(
                f"{documents} documents × {segments} segments, by {units.kind}: randomisation {randomised:.1%}, "
                f"bootstrap two-sided {two_sided:.1%}, bootstrap {shifted:.1%}"
            )


if __name__ == "__main__":
    main()
