"""An index over vectors as bits, re-ranked by the vectors: what it takes to build, and what it finds.

    python -m tests.bench.bits [--vectors 1000000] [--queries 200] [--encoded 20000] [--keep FOLDER] [--memory 12GB]

`--encoded` vectors are those of the folder `--bank` (of `tests.bench.million --vectors`, which must be there), the
others those plus noise, in a table of their own as half precision; the index holds a bit for each dimension
(`binary_quantize`), and the nearest by Hamming distance are compared by their vectors. Queries are new vectors of the
same clusters. What is true is found by comparing with every vector. Ten million need 9 GB for the table, 5 GB for the
index and, while it is built, as much memory (`--memory` is its maintenance_work_mem).

The aims at ten million: the index within 3 hours and 16 GB, recall@10 of 0.95. They are printed and are no gate.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tests.bench.bank import set_up
from tests.bench.benchmark import read_options
from tests.bench.memory import build_index
from tests.bench.vectors import BLOCK, noisy

K = 10
WAYS = ((200, 200), (400, 400), (800, 800), (1000, 1000))  # ef_search, and how many are compared by vectors


def main() -> int:
    """Print a table."""
    options = read_options(vectors=1_000_000, queries=200, encoded=20_000, bank="bank-1000000", memory="")
    set_up(options.keep / options.bank)
    from django.db import connection

    real = _real(options.encoded)
    asked = noisy(real, 7, options.queries, np.random.default_rng(1)).astype(np.float32)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_bits")
        cursor.execute("CREATE UNLOGGED TABLE bench_bits (id bigint, vector halfvec(%s))", [real.shape[1]])
        try:
            truth = _fill(cursor, real, asked, options.vectors)
            _index(cursor, real.shape[1], options.memory)
            _measure(cursor, asked, truth)
        finally:
            cursor.execute("DROP TABLE bench_bits")
    return 0


def _real(encoded: int) -> np.ndarray:
    from questionbank.models import QuestionEmbedding

    rows = QuestionEmbedding.objects.filter(embedding_set__lens="purpose", vector__isnull=False)
    vectors = rows.order_by("question_id").values_list("vector", flat=True)[:encoded]
    return np.array(list(vectors.iterator(5000)), dtype=np.float32)


def _fill(cursor, real: np.ndarray, asked: np.ndarray, count: int) -> np.ndarray:
    """Store the vectors; return the ids of each query's nearest, compared with every vector."""
    began = time.perf_counter()
    rng = np.random.default_rng(2026)
    best = np.full((len(asked), K), -np.inf, dtype=np.float32)
    ids = np.zeros((len(asked), K), dtype=np.int64)
    header = np.array([real.shape[1], 0], dtype=">u2").tobytes()
    size = (len(header) + 2 * real.shape[1]).to_bytes(4, "big")
    for start in range(0, count, BLOCK):
        vectors = noisy(real, start, min(BLOCK, count - start), rng)
        scores = np.hstack([best, asked @ vectors.T.astype(np.float32)])
        known = np.hstack([ids, np.broadcast_to(np.arange(start, start + len(vectors)), (len(asked), len(vectors)))])
        top = np.argpartition(-scores, K, axis=1)[:, :K]
        best, ids = np.take_along_axis(scores, top, 1), np.take_along_axis(known, top, 1)
        rows = vectors.astype(">f2")
        with cursor.cursor.copy("COPY bench_bits FROM STDIN (FORMAT binary)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for place, row in enumerate(rows, start=start):
                copy.write(b"\x00\x02\x00\x00\x00\x08" + place.to_bytes(8, "big") + size + header + row.tobytes())
            copy.write(b"\xff\xff")
    cursor.execute("CREATE UNIQUE INDEX ON bench_bits (id)")
    cursor.execute("VACUUM ANALYZE bench_bits")
    cursor.execute("SELECT pg_table_size('bench_bits') >> 20")
    print(f"{count:,} vectors stored: {cursor.fetchone()[0]:,} MB, {time.perf_counter() - began:.0f} s", flush=True)
    return ids


def _index(cursor, dimension: int, memory: str) -> None:
    if memory:
        cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [memory])
    build_index(
        "as bits",
        "bench_bits_hnsw",
        lambda: cursor.execute(
            f"CREATE INDEX bench_bits_hnsw ON bench_bits USING hnsw"
            f" ((binary_quantize(vector)::bit({dimension})) bit_hamming_ops)"
        ),
    )


def _measure(cursor, asked: np.ndarray, truth: np.ndarray) -> None:
    dimension = asked.shape[1]
    query = f"""
        SELECT id FROM (
            SELECT id, vector FROM bench_bits
            ORDER BY binary_quantize(vector)::bit({dimension}) <~> binary_quantize(%s::halfvec({dimension})) LIMIT %s
        ) near ORDER BY vector <=> %s::halfvec({dimension}) LIMIT {K}
    """
    print(f"{'ef_search, compared':24}{'p50 ms':>10}{'p95 ms':>10}{'recall@10':>12}")
    for candidates, compared in WAYS:
        cursor.execute("SELECT set_config('hnsw.ef_search', %s, false)", [str(candidates)])
        seconds, recalls = [], []
        for vector, true in zip(asked, truth, strict=True):
            literal = f"[{','.join(f'{value:.5g}' for value in vector.tolist())}]"
            for _warm in range(2):
                began = time.perf_counter()
                cursor.execute(query, [literal, compared, literal])
                found = {row[0] for row in cursor.fetchall()}
                spent = time.perf_counter() - began
            seconds.append(spent)
            recalls.append(len(found & set(true.tolist())) / K)
        p50, p95 = 1000 * np.quantile(seconds, [0.5, 0.95])
        print(f"{candidates:10},{compared:8}{'':5}{p50:10.1f}{p95:10.1f}{np.mean(recalls):12.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
