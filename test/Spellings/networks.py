# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small networks with the structure of the well-known ones.

No two extents are equal where it matters: a transposition that is forgotten
has to show.
"""

import newer_networks
from network import Network


def _conv_bn(net, x, *arguments, activation="relu", **keywords):
    x = net.batch_norm(net.conv(x, *arguments, bias=False, **keywords))
    return net.unary(activation, x) if activation else x


def _head(net, x, classes=5):
    return net.output(net.linear(net.flatten(net.global_pool(x)), classes))


def residual(net):
    """ResNet: stem, basic block, bottleneck with a shortcut of stride 2."""
    x = net.input(1, 3, 20, 16)
    x = _conv_bn(net, x, 6, 7, stride=2, padding=3)
    x = net.max_pool(x, 3, 2, 1)
    y = _conv_bn(net, x, 6, 3, padding=1)
    y = _conv_bn(net, y, 6, 3, padding=1, activation=None)
    x = net.unary("relu", net.add(y, x))
    y = _conv_bn(net, x, 4, 1)
    y = _conv_bn(net, y, 4, 3, stride=2, padding=1)
    y = _conv_bn(net, y, 10, 1, activation=None)
    x = _conv_bn(net, x, 10, 1, stride=2, activation=None)
    return _head(net, net.unary("relu", net.add(y, x)))


def mobile(net):
    """MobileNetV2: inverted residuals, depthwise convolutions, relu6."""
    x = net.input(1, 3, 17, 13)
    x = _conv_bn(net, x, 6, 3, stride=2, padding=1, activation="relu6")
    y = _conv_bn(net, x, 12, 1, activation="relu6")
    y = _conv_bn(net, y, 12, 3, padding=1, groups=12, activation="relu6")
    y = _conv_bn(net, y, 6, 1, activation=None)
    x = net.add(x, y)
    y = _conv_bn(net, x, 10, 1, activation="relu6")
    y = _conv_bn(net, y, 10, 3, stride=2, padding=1, groups=10,
                 activation="relu6")
    y = _conv_bn(net, y, 8, 1, activation=None)
    x = net.flatten(net.global_pool(y))
    return net.output(net.linear(net.unary("dropout", x), 7))


def lenet(net):
    """LeNet and VGG: pools, flatten of an image, linear layers."""
    x = net.input(1, 2, 14, 18)
    x = net.unary("relu", net.conv(x, 4, 5, padding=2))
    x = net.max_pool(x, 2)
    x = net.unary("relu", net.conv(x, 6, 3))
    x = net.avg_pool(x, (2, 3), (1, 2))
    x = net.flatten(x)
    x = net.unary("relu", net.linear(x, 12))
    x = net.unary("tanh", net.linear(x, 9))
    return net.output(net.log_softmax(net.linear(x, 5)))


def inception(net):
    """Inception: branches with 1x7 and 7x1 filters and pools, and cat."""
    x = net.input(1, 3, 15, 12)
    x = _conv_bn(net, x, 5, 3, stride=2)
    a = _conv_bn(net, x, 4, 1)
    b = _conv_bn(net, x, 3, 1)
    b = _conv_bn(net, b, 4, (1, 5), padding=(0, 2))
    b = _conv_bn(net, b, 6, (5, 1), padding=(2, 0))
    c = net.avg_pool(x, 3, 1, 1)
    c = _conv_bn(net, c, 2, 1)
    d = net.max_pool(x, 3, 1, 1)
    x = net.cat([a, b, c, d])
    e = _conv_bn(net, x, 7, 3, stride=2)
    f = net.max_pool(x, 3, 2)
    return _head(net, net.cat([e, f]))


def squeeze_excite(net):
    """MobileNetV3: hardswish, squeeze-excite with hardsigmoid."""
    x = net.input(1, 3, 16, 12)
    x = _conv_bn(net, x, 6, 3, stride=2, padding=1, activation="hardswish")
    y = _conv_bn(net, x, 12, 1, activation="hardswish")
    y = _conv_bn(net, y, 12, 5, padding=2, groups=12, activation="hardswish")
    s = net.global_pool(y)
    s = net.unary("relu", net.conv(s, 4, 1))
    s = net.unary("hardsigmoid", net.conv(s, 12, 1))
    y = _conv_bn(net, net.mul(s, y), 6, 1, activation=None)
    x = net.add(y, x)
    x = net.flatten(net.global_pool(x))
    x = net.unary("hardswish", net.linear(x, 8))
    return net.output(net.linear(x, 5))


def efficient(net):
    """EfficientNet: silu, and sigmoid in the squeeze-excite block."""
    x = net.input(1, 3, 12, 10)
    x = _conv_bn(net, x, 8, 3, stride=2, padding=1, activation="silu")
    y = _conv_bn(net, x, 8, 3, padding=1, groups=8, activation="silu")
    s = net.mean(y, [2, 3], keepdim=True)
    s = net.unary("silu", net.conv(s, 2, 1))
    s = net.unary("sigmoid", net.conv(s, 8, 1))
    y = _conv_bn(net, net.mul(y, s), 5, 1, activation=None)
    return _head(net, y)


def dense(net):
    """DenseNet: norms in front, cat chains, a transition with a pool."""
    x = net.input(1, 3, 13, 10)
    x = net.conv(x, 6, 3, padding=1, bias=False)
    for _ in range(3):
        y = net.unary("relu", net.batch_norm(x))
        y = net.conv(y, 5, 1, bias=False)
        y = net.unary("relu", net.batch_norm(y))
        y = net.conv(y, 4, 3, padding=1, bias=False)
        x = net.cat([x, y])
    x = net.unary("relu", net.batch_norm(x))
    x = net.avg_pool(net.conv(x, 7, 1, bias=False), 2)
    return _head(net, net.unary("relu", net.batch_norm(x)))


def fire(net):
    """SqueezeNet: squeeze, two expansions, cat."""
    x = net.input(1, 3, 15, 19)
    x = net.unary("relu", net.conv(x, 6, 3, stride=2))
    x = net.max_pool(x, 3, 2)
    s = net.unary("relu", net.conv(x, 4, 1))
    x = net.cat([net.unary("relu", net.conv(s, 5, 1)),
                 net.unary("relu", net.conv(s, 7, 3, padding=1))])
    x = net.unary("relu", net.conv(net.unary("dropout", x), 6, 1))
    return net.output(net.flatten(net.global_pool(x)))


def shuffle(net):
    """ShuffleNet: grouped convolutions, channel shuffle, split."""
    x = net.input(1, 4, 12, 10)
    x = _conv_bn(net, x, 8, 3, stride=2, padding=1)
    a = net.narrow(x, 1, 0, 4)
    b = net.narrow(x, 1, 4, 4)
    b = _conv_bn(net, b, 6, 1, groups=2)
    b = _conv_bn(net, b, 6, 3, padding=1, groups=6, activation=None)
    b = _conv_bn(net, b, 8, 1, groups=2)
    x = net.channel_shuffle(net.cat([a, b]), 2)
    return _head(net, _conv_bn(net, x, 9, 1, groups=3))


def unet(net):
    """U-Net: transposed convolution, nearest resize, skip connections."""
    x = net.input(1, 2, 16, 12)
    a = net.unary("relu", net.conv(x, 4, 3, padding=1))
    b = net.unary("relu", net.conv(net.max_pool(a, 2), 6, 3, padding=1))
    c = net.unary("relu", net.conv(net.max_pool(b, 2), 8, 3, padding=1))
    u = net.cat([net.conv_transpose(c, 6, 2, 2), b])
    u = net.unary("leaky_relu", net.conv(u, 5, 3, padding=1), slope=0.1)
    u = net.cat([net.resize(u, 2), a])
    return net.output(net.unary("sigmoid", net.conv(u, 3, 1)))


def decoder(net):
    """Transposed convolutions with padding, pixel shuffle, prelu."""
    x = net.input(1, 3, 5, 4)
    x = net.prelu(net.conv_transpose(x, 8, 3, 2, 1, 1))
    x = net.unary("elu", net.conv(x, 12, 3, padding=1), alpha=1.0)
    x = net.pixel_shuffle(x, 2)
    x = net.resize(x, 2, "bilinear")
    return net.output(net.unary("tanh", net.conv(x, 2, 3, padding=1)))


def sequence(net):
    """1-d convolutions, as in speech networks."""
    x = net.input(1, 3, 29)
    x = _conv_bn(net, x, 6, 5, stride=2, padding=2)
    x = _conv_bn(net, x, 6, 3, padding=2, dilation=2, groups=6)
    x = net.unary("gelu", net.conv(x, 8, 1))
    x = net.mean(x, [2])
    return net.output(net.linear(x, 4))


def video(net):
    """3-d convolutions."""
    x = net.input(1, 2, 5, 8, 7)
    x = _conv_bn(net, x, 4, 3, padding=1)
    x = net.unary("relu", net.conv(x, 5, (1, 3, 3), stride=(1, 2, 2),
                                   padding=(0, 1, 1)))
    return net.output(net.linear(net.flatten(x), 3))


def _attention(net, x, heads):
    batch, length, width = x.shape
    q, k, v = (net.reshape(net.linear(x, width), batch, length, heads,
                           width // heads) for _ in range(3))
    q = net.permute(q, 0, 2, 1, 3)
    k = net.permute(k, 0, 2, 3, 1)
    v = net.permute(v, 0, 2, 1, 3)
    scores = net.mul_scalar(net.matmul(q, k), 0.5)
    y = net.matmul(net.softmax(scores), v)
    y = net.reshape(net.permute(y, 0, 2, 1, 3), batch, length, width)
    return net.linear(y, width)


def transformer(net):
    """An encoder block: attention, layer norm, gelu."""
    x = net.input(1, 6, 8, image=False)
    x = net.layer_norm(net.add(x, _attention(net, x, 2)))
    y = net.unary("gelu", net.linear(x, 20))
    x = net.layer_norm(net.add(x, net.linear(y, 8)))
    return net.output(net.linear(net.mean(x, [1]), 3))


def llama(net):
    """A decoder block: RMS norm, gated silu."""
    x = net.input(1, 5, 8, image=False)
    x = net.add(x, _attention(net, net.rms_norm(x), 2))
    y = net.rms_norm(x)
    gate = net.unary("silu", net.linear(y, 12, bias=False))
    up = net.linear(y, 12, bias=False)
    y = net.linear(net.mul(gate, up), 8, bias=False)
    return net.output(net.rms_norm(net.add(x, y)))


def lstm(net):
    """Two steps of an LSTM cell, unrolled, with stacked gates."""
    width = 6
    x = net.input(1, 2, 5, image=False)
    h = c = None
    weights = []
    for step in range(2):
        part = net.reshape(net.narrow(x, 1, step, 1), net.batch, 5)
        gates = net.linear(part, 4 * width)
        weights.append(gates)
        if step:
            # The same cell at each step.
            gates.parameters = weights[0].parameters
            gates = net.add(gates, net.linear(h, 4 * width))
        gate = lambda k: net.narrow(gates, 1, k * width, width)
        new = net.mul(net.unary("sigmoid", gate(0)),
                      net.unary("tanh", gate(2)))
        if step:
            new = net.add(net.mul(net.unary("sigmoid", gate(1)), c), new)
        c = new
        h = net.mul(net.unary("sigmoid", gate(3)), net.unary("tanh", c))
    return net.output(net.linear(h, 3))


def classifier(net):
    """Embedding, mean over words, linear layers."""
    x = net.input(1, 7, image=False, element="i64", limit=11)
    x = net.mean(net.embedding(x, 11, 6), [1])
    x = net.unary("relu", net.linear(x, 9))
    return net.output(net.softmax(net.linear(x, 4)))


def groups(net):
    """Group and instance norms."""
    x = net.input(1, 3, 9, 7)
    x = net.unary("relu", net.group_norm(net.conv(x, 6, 3, padding=1), 2))
    x = net.unary("silu", net.instance_norm(net.conv(x, 4, 3, stride=2)))
    return _head(net, x)


def same(net):
    """TensorFlow's SAME padding with stride 2: more after than before."""
    x = net.input(1, 3, 16, 20)
    x = net.conv(x, 6, 3, stride=2, padding=((0, 1), (0, 1)))
    x = net.unary("relu6", x)
    x = net.conv(x, 6, 3, stride=2, padding=((0, 1), (0, 1)), groups=6)
    x = net.unary("relu6", x)
    x = net.unary("relu6", net.conv(x, 8, 1))
    x = net.mean(x, [2, 3])
    return net.output(net.softmax(net.linear(x, 5)))


def activations(net):
    """One after the other what the networks above lack."""
    x = net.input(1, 4, 6, 5)
    x = net.unary("hardtanh", net.conv(x, 4, 1))
    x = net.unary("clamp", net.conv(x, 4, 1), low=-0.75, high=0.5)
    x = net.unary("elu", net.conv(x, 4, 1), alpha=0.75)
    x = net.unary("leaky_relu", net.conv(x, 4, 1), slope=0.01)
    x = net.unary("gelu_tanh", net.conv(x, 4, 1))
    x = net.softmax(net.conv(x, 4, 1), 1)
    x = net.mul_scalar(net.add_scalar(x, 0.25), 3.0)
    x = net.sub(net.conv(x, 4, 1), x)
    return net.output(net.avg_pool(x, 3, 2, 1, count_pad=False))


def pyramid(net):
    """A feature pyramid: upsampled tensors are added and multiplied."""
    x = net.input(1, 3, 16, 12)
    a = _conv_bn(net, x, 6, 3, padding=1)
    b = _conv_bn(net, a, 8, 3, stride=2, padding=1)
    c = _conv_bn(net, b, 7, 3, stride=2, padding=1)
    x = net.add(net.conv(b, 5, 1), net.resize(net.conv(c, 5, 1), 2))
    x = net.add(net.conv(a, 5, 1), net.resize(x, 2, "bilinear"))
    y = net.unary("sigmoid", net.resize(net.conv(b, 5, 1), 2))
    x = net.unary("relu", net.mul(x, y))
    return net.output(net.conv(x, 4, 3, padding=1))


def temporal(net):
    """A temporal network: convolutions in groups of rows, pools of rows."""
    x = net.input(1, 4, 30)
    y = _conv_bn(net, x, 8, 3, padding=2, dilation=2, groups=2)
    y = _conv_bn(net, y, 4, 3, padding=1, groups=4)
    x = net.unary("relu", net.add(x, y))
    x = net.max_pool(x, 3, 2, 1)
    x = net.unary("silu", net.conv(x, 6, 5, stride=2, padding=2))
    return net.output(net.linear(net.flatten(net.avg_pool(x, 2)), 5))


NETWORKS = {function.__name__: function for function in (
    residual, mobile, lenet, inception, squeeze_excite, efficient, dense, fire,
    shuffle, unet, decoder, sequence, video, transformer, llama, lstm,
    classifier, groups, same, activations, pyramid, temporal)}
NETWORKS.update(newer_networks.NETWORKS)


def build(name, seed=1):
    """`residual`, or with a batch of three `residual@3`; `residual@fresh` was
    never trained."""
    name, _, variant = name.partition("@")
    if variant == "fresh":
        return NETWORKS[name](Network(seed, fresh=True))
    return NETWORKS[name](Network(seed, int(variant or 1)))
