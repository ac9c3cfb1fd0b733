# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks with the structure of those of later years: attention in images,
gates, branches with attention, point clouds."""

import numpy as np


def _conv_bn(net, x, *arguments, activation="relu", **keywords):
    x = net.batch_norm(net.conv(x, *arguments, bias=False, **keywords))
    return net.unary(activation, x) if activation else x


def _head(net, x, classes=5):
    return net.output(net.linear(net.flatten(net.global_pool(x)), classes))


def _to_last(net, x):
    return net.permute(x, 0, 2, 3, 1)


def _to_first(net, x):
    return net.permute(x, 0, 3, 1, 2, image=True)


def _tokens(net, x):
    """The pixels of an image in a row."""
    n, c, h, w = x.shape
    return net.permute(net.reshape(x, n, c, h * w), 0, 2, 1)


def _attention(net, x, heads, bias=True, factor=0.5, added=()):
    """`added` are tensors that the products of queries and keys get."""
    batch, length, width = x.shape
    q, k, v = (net.reshape(net.linear(x, width, bias=bias), batch, length,
                           heads, width // heads) for _ in range(3))
    q = net.permute(q, 0, 2, 1, 3)
    k = net.permute(k, 0, 2, 3, 1)
    v = net.permute(v, 0, 2, 1, 3)
    scores = net.matmul(q, k)
    if factor:
        scores = net.mul_scalar(scores, factor)
    for other in added:
        scores = net.add(scores, other)
    y = net.matmul(net.softmax(scores), v)
    y = net.reshape(net.permute(y, 0, 2, 1, 3), batch, length, width)
    return net.linear(y, width, bias=bias)


def convnext(net):
    """ConvNeXt: layer norm of channels, products by pixel, scaled layers."""
    x = net.input(1, 3, 16, 12)
    x = net.conv(x, 8, 4, stride=4)
    x = _to_first(net, net.layer_norm(_to_last(net, x)))
    y = _to_last(net, net.conv(x, 8, 5, padding=2, groups=8))
    y = net.unary("gelu", net.linear(net.layer_norm(y), 20))
    y = net.mul(net.linear(y, 8), net.random(1, 1, 1, 8))
    x = net.add(x, _to_first(net, y))
    return net.output(net.linear(net.layer_norm(net.mean(x, [2, 3])), 5))


def mixer(net):
    """MLP-Mixer: layers over patches, layers over channels."""
    x = net.input(1, 3, 16, 12)
    x = _tokens(net, net.conv(x, 8, 4, stride=4))
    y = net.permute(net.layer_norm(x), 0, 2, 1)
    y = net.linear(net.unary("gelu", net.linear(y, 9)), x.shape[1])
    x = net.add(x, net.permute(y, 0, 2, 1))
    y = net.linear(net.unary("gelu", net.linear(net.layer_norm(x), 14)), 8)
    x = net.layer_norm(net.add(x, y))
    return net.output(net.linear(net.mean(x, [1]), 5))


def vit(net):
    """Vision transformer: a token in front of the patches, positions."""
    x = net.input(1, 3, 12, 8)
    x = _tokens(net, net.conv(x, 8, 4, stride=4))
    x = net.cat([net.random(net.batch, 1, 8), x])
    x = net.add(x, net.random(1, x.shape[1], 8))
    x = net.add(x, _attention(net, net.layer_norm(x), 2))
    y = net.unary("gelu", net.linear(net.layer_norm(x), 20))
    x = net.layer_norm(net.add(x, net.linear(y, 8)))
    x = net.reshape(net.narrow(x, 1, 0, 1), net.batch, 8)
    return net.output(net.linear(x, 5))


def _roll(net, x, axis, count):
    extent = x.shape[axis]
    return net.cat([net.narrow(x, axis, count, extent - count),
                    net.narrow(x, axis, 0, count)], axis)


def swin(net):
    """Swin: windows, shifted windows with a mask, patches merged."""
    x = net.input(1, 3, 32, 24)
    x = _to_last(net, net.conv(x, 8, 4, stride=4))
    batch, h, w, c = x.shape
    size = (4, 3)
    length = size[0] * size[1]
    windows = (h // size[0]) * (w // size[1])
    place = np.zeros((h, w))
    place[-2:] += 1
    place[:, -1:] += 2
    place = place.reshape(h // size[0], size[0], w // size[1], size[1])
    place = place.transpose(0, 2, 1, 3).reshape(windows, length)
    mask = np.where(place[:, :, None] == place[:, None, :], 0.0, -100.0)
    for shifted in (False, True):
        y = net.layer_norm(x)
        if shifted:
            y = _roll(net, _roll(net, y, 1, 2), 2, 1)
        y = net.reshape(y, batch, h // size[0], size[0], w // size[1], size[1],
                        c)
        y = net.reshape(net.permute(y, 0, 1, 3, 2, 4, 5), batch * windows,
                        length, c)
        added = [net.random(1, 2, length, length)]
        if shifted:
            added.append(net.constant(np.tile(
                mask[:, None], (batch, 1, 1, 1))))
        y = _attention(net, y, 2, added=added)
        y = net.reshape(y, batch, h // size[0], w // size[1], *size, c)
        y = net.reshape(net.permute(y, 0, 1, 3, 2, 4, 5), batch, h, w, c)
        if shifted:
            y = _roll(net, _roll(net, y, 1, h - 2), 2, w - 1)
        x = net.add(x, y)
        y = net.unary("gelu", net.linear(net.layer_norm(x), 12))
        x = net.add(x, net.linear(y, c))
    parts = [net.narrow(net.narrow(x, 1, i, h // 2, 2), 2, j, w // 2, 2)
             for j in range(2) for i in range(2)]
    x = net.linear(net.layer_norm(net.cat(parts, 3)), 10, bias=False)
    return net.output(net.mean(x, [1, 2]))


def wavenet(net):
    """Causal dilated convolutions with gates, and their sums."""
    x = net.conv(net.input(1, 3, 26), 6, 1)
    total = None
    for dilation in (1, 2, 4):
        if total is not None:
            x = net.add(net.conv(y, 6, 1), x)
        causal = {"padding": ((dilation, 0),), "dilation": dilation}
        y = net.mul(net.unary("tanh", net.conv(x, 5, 2, **causal)),
                    net.unary("sigmoid", net.conv(x, 5, 2, **causal)))
        skip = net.conv(y, 7, 1)
        total = skip if total is None else net.add(total, skip)
    y = net.conv(net.unary("relu", total), 5, 1)
    return net.output(net.conv(net.unary("relu", y), 4, 1))


def causal(net):
    """A temporal network that pads both sides and cuts the end."""
    x = net.input(1, 3, 25)
    for width, dilation in ((6, 1), (8, 2)):
        y = x
        for _ in range(2):
            y = net.conv(y, width, 3, padding=2 * dilation, dilation=dilation)
            y = net.unary("relu", net.narrow(y, 2, 0, 25))
        x = net.unary("relu", net.add(y, net.conv(x, width, 1)))
    x = net.reshape(net.narrow(x, 2, 24, 1), net.batch, 8)
    return net.output(net.linear(x, 4))


def ghost(net):
    """GhostNet: half of the channels by cheap convolutions."""
    def module(x, out, activation="relu"):
        half = -(-out // 2)
        y = _conv_bn(net, x, half, 1, activation=activation)
        z = _conv_bn(net, y, half, 3, padding=1, groups=half,
                     activation=activation)
        return net.narrow(net.cat([y, z]), 1, 0, out)

    x = _conv_bn(net, net.input(1, 3, 16, 14), 6, 3, stride=2, padding=1)
    y = module(x, 11)
    y = _conv_bn(net, y, 11, 3, stride=2, padding=1, groups=11,
                 activation=None)
    s = net.unary("relu", net.conv(net.mean(y, [2, 3], True), 4, 1))
    y = net.mul(y, net.unary("hardsigmoid", net.conv(s, 11, 1)))
    y = module(y, 9, None)
    z = _conv_bn(net, x, 6, 3, stride=2, padding=1, groups=6, activation=None)
    return _head(net, net.add(y, _conv_bn(net, z, 9, 1, activation=None)))


def repvgg(net):
    """RepVGG while it trains: three branches, of which one is a norm."""
    x = _conv_bn(net, net.input(1, 3, 14, 10), 6, 3, stride=2, padding=1)
    for _ in range(2):
        y = net.add(_conv_bn(net, x, 6, 3, padding=1, activation=None),
                    _conv_bn(net, x, 6, 1, activation=None))
        x = net.unary("relu", net.add(y, net.batch_norm(x)))
    return _head(net, x)


def yolo(net):
    """A detector: split and cat, a chain of pools, two scales."""
    x = _conv_bn(net, net.input(1, 3, 16, 24), 8, 3, stride=2, padding=1,
                 activation="silu")
    a, b = (net.narrow(x, 1, 4 * i, 4) for i in range(2))
    y = _conv_bn(net, b, 4, 3, padding=1, activation="silu")
    a = _conv_bn(net, net.cat([a, b, net.add(b, y)]), 10, 1,
                 activation="silu")
    b = _conv_bn(net, a, 6, 3, stride=2, padding=1, activation="silu")
    pools = [b]
    for _ in range(2):
        pools.append(net.max_pool(pools[-1], 3, 1, 1))
    b = _conv_bn(net, net.cat(pools), 9, 1, activation="silu")
    a = _conv_bn(net, net.cat([net.resize(b, 2), a]), 7, 1, activation="silu")
    rows = []
    for image in (a, b):
        y = net.conv(image, 12, 1)
        n, _, h, w = y.shape
        y = net.permute(net.reshape(y, n, 2, 6, h, w), 0, 1, 3, 4, 2)
        rows.append(net.reshape(net.unary("sigmoid", y), n, 2 * h * w, 6))
    return net.output(net.cat(rows))


def bert(net):
    """BERT: words and positions, a mask, a layer for the first word."""
    x = net.input(1, 6, image=False, element="i64", limit=13)
    x = net.add(net.embedding(x, 13, 8), net.random(1, 6, 8))
    x = net.layer_norm(net.add(x, net.random(1, 1, 8)), eps=1e-12)
    mask = net.constant(np.where(np.arange(6) < 4, 0.0, -100.0).reshape(
        1, 1, 1, 6))
    x = net.layer_norm(net.add(_attention(net, x, 2, added=[mask]), x))
    y = net.linear(net.unary("gelu", net.linear(x, 18)), 8)
    x = net.layer_norm(net.add(y, x))
    x = net.reshape(net.narrow(x, 1, 0, 1), net.batch, 8)
    x = net.unary("tanh", net.linear(x, 8))
    return net.output(net.linear(x, 3))


def t5(net):
    """T5: a bias for distances, norms without means, no other biases."""
    x = net.input(1, 7, 8, image=False)
    distances = net.random(1, 2, 7, 7)
    x = net.add(x, _attention(net, net.rms_norm(x), 2, bias=False, factor=None,
                              added=[distances]))
    y = net.unary("relu", net.linear(net.rms_norm(x), 15, bias=False))
    x = net.add(x, net.linear(y, 8, bias=False))
    x = net.mul_scalar(net.rms_norm(x), 8**-0.5)
    return net.output(net.linear(x, 11, bias=False))


def gru(net):
    """Two steps of a GRU, with the gates of each in one layer."""
    width = 5
    x = net.input(1, 2, 4, image=False)
    parts = [net.reshape(net.narrow(x, 1, step, 1), net.batch, 4)
             for step in range(2)]
    h = net.unary("tanh", net.linear(parts[1], width))
    layers = None
    for part in parts:
        a, b = net.linear(part, 3 * width), net.linear(h, 3 * width)
        if layers:
            a.parameters, b.parameters = (l.parameters for l in layers)
        layers = (a, b)
        gate = lambda g, k: net.narrow(g, 1, k * width, width)
        reset = net.unary("sigmoid", net.add(gate(a, 0), gate(b, 0)))
        keep = net.unary("sigmoid", net.add(gate(a, 1), gate(b, 1)))
        new = net.unary("tanh", net.add(gate(a, 2),
                                        net.mul(reset, gate(b, 2))))
        h = net.add(net.mul(net.unary("rsub_scalar", keep, number=1.0), new),
                    net.mul(keep, h))
    return net.output(net.linear(h, 3))


def cbam(net):
    """CBAM: attention of channels by mean and maximum, then of pixels."""
    x = _conv_bn(net, net.input(1, 3, 13, 10), 8, 3, padding=1)
    sums, first = [], None
    for pooled in (net.global_pool(x), net.amax(x, [2, 3], keepdim=True)):
        y = net.conv(pooled, 3, 1, bias=False)
        z = net.conv(net.unary("relu", y), 8, 1, bias=False)
        if first:
            y.parameters, z.parameters = (l.parameters for l in first)
        first = (y, z)
        sums.append(z)
    x = net.mul(x, net.unary("sigmoid", net.add(*sums)))
    y = net.cat([net.mean(x, [1], True), net.amax(x, [1], True)])
    y = _conv_bn(net, y, 1, 5, padding=2, activation="sigmoid")
    return _head(net, net.mul(x, y))


def pointnet(net):
    """PointNet: a matrix from the points for the points, a maximum of all."""
    x = net.input(1, 3, 21)
    y = _conv_bn(net, x, 6, 1)
    y = net.amax(_conv_bn(net, y, 7, 1), [2])
    y = net.linear(net.unary("relu", net.linear(y, 8)), 9)
    y = net.reshape(y, net.batch, 3, 3)
    x = net.matmul(net.permute(x, 0, 2, 1), y)
    x = net.permute(x, 0, 2, 1, image=True)
    x = _conv_bn(net, _conv_bn(net, x, 6, 1), 10, 1, activation=None)
    return net.output(net.linear(net.amax(x, [2]), 5))


def splits(net):
    """ResNeSt: the parts of a convolution, weighted by a softmax of them."""
    x = _conv_bn(net, net.input(1, 3, 14, 10), 6, 3, stride=2, padding=1)
    y = _conv_bn(net, x, 8, 3, padding=1, groups=2)
    n, c, h, w = y.shape
    parts = [net.narrow(y, 1, 4 * i, 4) for i in range(2)]
    s = net.global_pool(net.add(*parts))
    s = net.unary("relu", net.batch_norm(net.conv(s, 5, 1)))
    s = net.reshape(net.conv(s, 8, 1), n, 2, 4)
    s = net.reshape(net.softmax(s, 1), n, 8, 1, 1, image=True)
    parts = [net.mul(net.narrow(s, 1, 4 * i, 4), part)
             for i, part in enumerate(parts)]
    y = _conv_bn(net, net.add(*parts), 6, 1, activation=None)
    return _head(net, net.unary("relu", net.add(x, y)))


def conformer(net):
    """Conformer: half layers, attention, gated convolutions over time."""
    x = net.input(1, 9, 8, image=False)

    def half(x):
        y = net.unary("silu", net.linear(net.layer_norm(x), 14))
        return net.add(x, net.mul_scalar(net.linear(y, 8), 0.5))

    x = half(x)
    x = net.add(x, _attention(net, net.layer_norm(x), 2))
    y = net.permute(net.layer_norm(x), 0, 2, 1, image=True)
    y = net.conv(y, 16, 1)
    y = net.mul(net.narrow(y, 1, 0, 8),
                net.unary("sigmoid", net.narrow(y, 1, 8, 8)))
    y = _conv_bn(net, y, 8, 3, padding=1, groups=8, activation="silu")
    y = net.permute(net.conv(y, 8, 1), 0, 2, 1)
    x = net.layer_norm(half(net.add(x, y)))
    return net.output(net.linear(x, 5))


def autoencoder(net):
    """Convolutions down, transposed ones up, with norms."""
    x = net.input(1, 2, 12, 16)
    for width in (6, 8):
        x = net.unary("leaky_relu", net.batch_norm(net.conv(
            x, width, 3, stride=2, padding=1, bias=False)), slope=0.2)
    n, c, h, w = x.shape
    x = net.linear(net.flatten(x), 7)
    x = net.unary("relu", net.linear(x, c * h * w))
    x = net.reshape(x, n, c, h, w, image=True)
    x = net.unary("relu", net.batch_norm(net.conv_transpose(
        x, 6, 3, 2, 1, 1, bias=False)))
    x = net.conv_transpose(x, 2, 4, 2, 1)
    return net.output(net.unary("sigmoid", x))


NETWORKS = {function.__name__: function for function in (
    convnext, mixer, vit, swin, wavenet, causal, ghost, repvgg, yolo, bert, t5,
    gru, cbam, pointnet, splits, conformer, autoencoder)}
