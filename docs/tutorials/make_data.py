#!/usr/bin/env python3
"""Synthetic files of the kinds that the tutorials are about, written into the current directory.

    python3 docs/tutorials/make_data.py tensor-image|eeg|landmarks|walk|trajectory

Nothing beyond Python's own library is needed, and the same files come out every time.
"""

import gzip
import math
import random
import struct
import sys


def matmul(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def transpose(A):
    return [list(column) for column in zip(*A)]


def write_nifti(path, shape, numbers):
    """Little-endian NIfTI-1 of float32, voxels of 2 mm, x fastest."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, len(shape), *(shape + (1,) * (7 - len(shape))))
    struct.pack_into("<2h", header, 70, 16, 32)
    struct.pack_into("<8f", header, 76, 1, 2, 2, 2, 1, 1, 1, 1)
    struct.pack_into("<f", header, 108, 352)
    struct.pack_into("<b", header, 123, 2)  # mm
    struct.pack_into("<h", header, 254, 1)
    for row in range(3):
        struct.pack_into("<4f", header, 280 + 16 * row, *(2.0 if column == row else 0.0 for column in range(4)))
    header[344:348] = b"n+1\0"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(bytes(header) + struct.pack(f"<{len(numbers)}f", *numbers))


def tensor_image():
    """dti.nii.gz: diffusion tensors in mm^2/s, xx xy xz yy yz zz as FSL writes them; mask.nii.gz: a disc of them."""
    draw = random.Random(1)
    nx, ny, nz = 14, 14, 2
    channels, mask = [[] for _ in range(6)], []
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                x, y = (i - 6.5) / 6, (j - 6.5) / 6
                inside = x * x + y * y < 1
                mask.append(1.0 if inside else 0.0)
                # Fibres turn round the centre, and are the more aligned the farther out.
                angle, aligned = math.atan2(y, x) / 2 + 0.2 * k, 0.2 + 0.7 * min(1, math.hypot(x, y))
                along, across = 0.8e-3 * (1 + aligned), 0.8e-3 * (1 - aligned / 2)
                c, s = math.cos(angle), math.sin(angle)
                D = [[along * c * c + across * s * s, (along - across) * c * s, 0],
                     [(along - across) * c * s, along * s * s + across * c * c, 0], [0, 0, across]]
                A = [[(a == b) + 0.06 * draw.gauss(0, 1) for b in range(3)] for a in range(3)]
                D = matmul(matmul(A, D), transpose(A))
                six = [D[0][0], D[0][1], D[0][2], D[1][1], D[1][2], D[2][2]]
                for channel, number in zip(channels, six):
                    channel.append(number if inside else 0.0)
    write_nifti("dti.nii.gz", (nx, ny, nz, 6), [number for channel in channels for number in channel])
    write_nifti("mask.nii.gz", (nx, ny, nz), mask)


def eeg():
    """eeg.csv: covariances of 8 average-referenced channels in 60 windows of 250 samples, rest and task by turns."""
    draw = random.Random(2)
    channels, samples = 8, 250
    mixing = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(channels)]
    with open("eeg.csv", "w") as file:
        names = [f"c{i + 1}_{j + 1}" for i in range(channels) for j in range(channels)]
        file.write(",".join(["window", "condition"] + names) + "\n")
        for window in range(60):
            task = window // 10 % 2
            power = [1.5, 1 + 0.8 * math.sin(window / 6), 2.0 if task else 0.8]
            rows = []
            for _ in range(samples):
                sources = [p * draw.gauss(0, 1) for p in power]
                row = [sum(m * s for m, s in zip(weights, sources)) + draw.gauss(0, 1) for weights in mixing]
                average = sum(row) / channels
                rows.append([number - average for number in row])
            columns = transpose(rows)
            cov = [sum(a * b for a, b in zip(x, y)) / samples for x in columns for y in columns]
            file.write(",".join([str(window), "task" if task else "rest"] + [repr(c) for c in cov]) + "\n")


def landmarks():
    """wings.tps: 12 landmarks on 36 wings of two species; specimens 5 and 23 were digitised from the back."""
    draw = random.Random(3)
    with open("wings.tps", "w") as file:
        for specimen in range(36):
            species = specimen % 2
            turn, size, slender = draw.uniform(-0.3, 0.3), draw.uniform(80, 120), 0.45 + 0.12 * species
            bend = draw.gauss(0, 0.08)
            file.write("LM=12\n")
            for k in range(12):
                t = 2 * math.pi * k / 12
                x = math.cos(t) + 0.15 * math.cos(2 * t) * (1 + species)
                y = slender * math.sin(t) + bend * x * x + 0.1 * math.sin(3 * t + 1)
                x, y = x + draw.gauss(0, 0.01), y + draw.gauss(0, 0.01)
                if specimen in (4, 22):
                    y = -y
                c, s = math.cos(turn), math.sin(turn)
                file.write(f"{500 + size * (c * x - s * y):.3f} {400 + size * (s * x + c * y):.3f}\n")
            file.write(f"ID={'ab'[species]}{specimen + 1}\n")


def walk():
    """walk.bvh: hips and a left leg, 160 frames of walking at 40 a second."""
    draw = random.Random(4)
    with open("walk.bvh", "w") as file:
        file.write("HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n"
                   "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                   "  JOINT LeftUpLeg\n  {\n    OFFSET 10 0 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "    JOINT LeftLeg\n    {\n      OFFSET 0 -42 0\n      CHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "      End Site\n      {\n        OFFSET 0 -40 0\n      }\n    }\n  }\n}\n"
                   "MOTION\nFrames: 160\nFrame Time: 0.025\n")
        for frame in range(160):
            phase = 2 * math.pi * frame / 44
            hips = [0, 90 + 2 * math.sin(2 * phase), 3 * frame, 2 * math.sin(phase), 0, 4 * math.sin(phase)]
            thigh = [6 * math.cos(phase), -25 * math.sin(phase) - 5, 3 * math.sin(2 * phase)]
            knee = [0, 30 * (1 + math.sin(phase + 1)), 0]
            noise = [draw.gauss(0, 0.8) for _ in range(6)]
            numbers = hips + [a + b for a, b in zip(thigh + knee, noise)]
            file.write(" ".join(f"{number:.4f}" for number in numbers) + "\n")


def trajectory():
    """flight.csv: poses of a drone that circles and turns about itself, with a few seconds without tracking."""
    draw = random.Random(5)
    with open("flight.csv", "w") as file:
        file.write("t,tx,ty,tz,qw,qx,qy,qz\n")
        for step in range(150):
            t = 0.2 * step
            if 12 < t < 14:
                continue
            yaw, roll = 0.205 * (t - 15) + draw.gauss(0, 0.02), 0.3 * math.sin(t) + draw.gauss(0, 0.02)
            q = [math.cos(yaw / 2) * math.cos(roll / 2), math.cos(yaw / 2) * math.sin(roll / 2),
                 math.sin(yaw / 2) * math.sin(roll / 2), math.sin(yaw / 2) * math.cos(roll / 2)]
            place = [3 * math.cos(0.4 * t), 3 * math.sin(0.4 * t), 1 + 0.5 * math.sin(0.7 * t)]
            numbers = [t] + [x + draw.gauss(0, 0.02) for x in place] + q
            file.write(",".join(f"{number:.6f}" for number in numbers) + "\n")


KINDS = {"tensor-image": tensor_image, "eeg": eeg, "landmarks": landmarks, "walk": walk, "trajectory": trajectory}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]]()
