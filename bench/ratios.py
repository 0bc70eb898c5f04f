"""Prints seconds side by side: python3 bench/ratios.py OURS.jsonl [PEER.jsonl]

Without a second file the peer's seconds are those recorded below.
"""

import json
import sys

# geomstats 2.8, NumPy backend, one thread of a Zen 3 processor, 100,000 points, CPU seconds.
RECORDED = {
    ("sphere:2", "exp"): 0.019,
    ("sphere:2", "log"): 0.021,
    ("spd:3", "exp"): 0.200,
    ("spd:3", "log"): 0.199,
    ("spd:3", "mean"): 0.576,
    ("spd:3/affine-invariant", "log"): 0.206,
    ("spd:3/affine-invariant", "distance"): 0.58,
    ("spd:3/affine-invariant", "mean"): 0.60,
    ("kendall:90", "exp"): 1.31,
    ("kendall:90", "log"): 1.48,
    ("kendall:90", "mean"): 4.1,
}
WANTED = {"sphere:2": 8, "spd:3": 8, "spd:3/affine-invariant": 8, "kendall:90": 30}


def read(path):
    with open(path) as lines:
        return {(row["manifold"], row["operation"]): row for row in map(json.loads, lines)}


def main(ours_path, peer_path=None):
    ours = read(ours_path)
    peer = read(peer_path) if peer_path else {key: {"seconds": value} for key, value in RECORDED.items()}
    print(f"{'manifold':<24}{'operation':<16}{'wgp s':>10}{'geomstats s':>13}{'ratio':>8}{'wanted':>8}  results")
    missed = 0
    for key, mine in ours.items():
        line = f"{key[0]:<24}{key[1]:<16}{mine['seconds']:>10.4f}"
        if key in peer:
            theirs = peer[key]
            ratio = theirs["seconds"] / max(mine["seconds"], 1e-9)
            missed += ratio < WANTED[key[0]]
            line += f"{theirs['seconds']:>13.4f}{ratio:>8.1f}{WANTED[key[0]]:>8}"
            if "check" in theirs:
                difference = abs(mine["check"] - theirs["check"]) / max(abs(mine["check"]), 1e-300)
                line += f"  differ by {difference:.0e}" if difference > 0 else "  agree"
            if ratio < WANTED[key[0]]:
                line += "  MISSED"
        print(line)
    print(f"{missed} of {sum(key in peer for key in ours)} lines below the wanted ratio")


if __name__ == "__main__":
    main(*sys.argv[1:])
