#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the networks of planted.py as exported programs, with samples.

    planted_networks.py FOLDER

Takes PyTorch 2. Of each network there are NAME.pt2, two with a fault in a weight, and
NAME.npz with samples `calib` and `test`. Weights are random; batch norms have seen the
samples.
"""

import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Preactivation(nn.Module):
    class Block(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

        def forward(self, x):
            y = self.conv1(F.relu(self.bn1(x)))
            return x + self.conv2(F.relu(self.bn2(y)))

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.block1, self.block2 = self.Block(16), self.Block(16)
        self.bn, self.fc = nn.BatchNorm2d(16), nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(self.bn(self.block2(self.block1(self.stem(x)))))
        return self.fc(x.mean((2, 3)))


class Squeeze(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.down, self.up = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)
        self.conv3, self.fc = nn.Conv2d(16, 32, 3, stride=2), nn.Linear(32, 10)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = x * torch.sigmoid(self.up(F.relu(self.down(self.pool(x)))))
        return self.fc(torch.flatten(self.pool(F.relu(self.conv3(x))), 1))


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.body = nn.Linear(24, 32), nn.Linear(32, 32)
        self.leave = nn.Linear(32, 10)

    def forward(self, x):
        x = F.relu(self.body(F.relu(self.enter(x))))
        return self.leave(F.relu(self.body(x)))


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.one, self.three = nn.Conv2d(16, 8, 1), nn.Conv2d(16, 8, 3, padding=1)
        self.five, self.proj = nn.Conv2d(16, 8, 5, padding=2), nn.Conv2d(16, 8, 1)
        self.pool = nn.MaxPool2d(3, 1, 1)
        self.mix, self.fc = nn.Conv2d(32, 16, 3, stride=2), nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = torch.cat([F.relu(self.one(x)), F.relu(self.three(x)),
                       F.relu(self.five(x)), F.relu(self.proj(self.pool(x)))], 1)
        return self.fc(F.relu(self.mix(x)).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.q, self.k, self.v, self.out = (nn.Linear(32, 32) for _ in range(4))
        self.up, self.down, self.head = (nn.Linear(32, 64), nn.Linear(64, 32),
                                         nn.Linear(32, 10))

    def forward(self, x):
        y = self.ln1(x)
        q, k, v = (linear(y).reshape(-1, 8, 4, 8).transpose(1, 2)
                   for linear in (self.q, self.k, self.v))
        y = torch.softmax(q @ k.transpose(2, 3) / 8**0.5, -1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(-1, 8, 32))
        x = x + self.down(F.relu(self.up(self.ln2(x))))
        return self.head(x.mean(1))


# Of each: the class, the shape of a sample, what makes a channel 0 and the weight that
# gets an outlier where it is read, and the weight that is another one.
IMAGE = (3, 16, 16)
NETWORKS = {
    "preactivation": (Preactivation, IMAGE, "block2.bn1", "block2.conv1", "block1.conv2"),
    "squeeze": (Squeeze, IMAGE, "conv1", "conv2", "conv1"),
    "twice": (Twice, (24,), "enter", "body", "body"),
    "inception": (Inception, IMAGE, "stem", "three", "three"),
    "transformer": (Transformer, (8, 32), "ln2", "up", "v"),
}


def save(network, samples, path):
    batch = {0: torch.export.Dim("n")}
    torch.export.save(torch.export.export(network, (samples[:2],), dynamic_shapes=(batch,)),
                      path)


@torch.no_grad()
def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, (kind, shape, dead, outlier, other) in NETWORKS.items():
        network, samples = kind(), torch.randn(300, *shape)
        network.train()
        for _ in range(20):
            network(samples)
        network.eval()
        np.savez(folder / f"{name}.npz", calib=samples[:200], test=samples[200:])
        save(network, samples, folder / f"{name}.pt2")
        parameters = dict(network.named_parameters())
        weight = parameters[other + ".weight"]
        kept = weight.clone()
        weight.copy_(kept.flip(0))
        save(network, samples, folder / f"{name}-other.pt2")
        weight.copy_(kept)
        parameters[dead + ".weight"][2] = 0
        parameters[dead + ".bias"][2] = 0
        weight = parameters[outlier + ".weight"]
        weight[0, 2] = 60 * weight.abs().max()
        save(network, samples, folder / f"{name}-outlier.pt2")


main()
