#!/usr/bin/env python3
"""Writes iris.csv and wine.csv of scikit-learn for bench_classes: measurements, then the column label.

    bench/classes_data.py DIRECTORY
"""
import csv
import pathlib
import sys

from sklearn import datasets


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, load in (("iris", datasets.load_iris), ("wine", datasets.load_wine)):
        data = load()
        path = directory / f"{name}.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"y{j + 1}" for j in range(data.data.shape[1])] + ["label"])
            for row, label in zip(data.data, data.target):
                writer.writerow([repr(float(value)) for value in row] + [int(label)])
        print(f"{path}: {data.data.shape[0]} rows of {data.data.shape[1]} numbers, {len(set(data.target))} classes")


if __name__ == "__main__":
    main()
