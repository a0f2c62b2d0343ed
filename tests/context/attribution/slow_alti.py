"""ALTI+ in plain loops over numpy arrays, written from the papers' formulas and from nothing in the package.

A model is read from its parameters only; embeddings (with positions) are what it is given. Every transformed vector of
every head is made one at a time, the layer norm's linear part is a matrix, and paths are summed one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Weights = dict[str, np.ndarray]


def parameters(model: Any) -> Weights:
    return {name: value.detach().double().numpy() for name, value in model.named_parameters()}


def norm(x: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(x: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]


def attention(
    queries: np.ndarray, read: np.ndarray, weights: Weights, name: str, heads: int, causal: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The parts (T, S, d) of each output, and the outputs themselves (T, d), bias included."""
    width = queries.shape[1]
    size = width // heads
    parts = np.zeros((len(queries), len(read), width))
    for i, query in enumerate(queries):
        asked = linear(query, weights, f"{name}.q_proj")
        for head in range(heads):
            of_head = slice(head * size, (head + 1) * size)
            seen = range(i + 1) if causal else range(len(read))
            logits = [
                asked[of_head] @ linear(read[j], weights, f"{name}.k_proj")[of_head] / np.sqrt(size) for j in seen
            ]
            shares = np.exp(np.array(logits) - max(logits))
            shares /= shares.sum()
            for j in seen:
                value = linear(read[j], weights, f"{name}.v_proj")[of_head]
                parts[i, j] += shares[j] * (weights[f"{name}.out_proj.weight"][:, of_head] @ value)
    return parts, parts.sum(1) + weights[f"{name}.out_proj.bias"]


def contributions(
    parts: np.ndarray, residual: np.ndarray, weights: Weights, name: str, *, norm_first: bool, own: bool, biases: bool
) -> np.ndarray:
    """A block's contributions, (T, S) or (T, S + 1)."""
    outputs, inputs, width = parts.shape
    bias = weights[f"{name}.out_proj.bias"]
    gamma, beta = weights[f"{name}_layer_norm.weight"], weights[f"{name}_layer_norm.bias"]
    rows = []
    for i in range(outputs):
        vectors = [parts[i, j] + (residual[i] if own and i == j else 0) for j in range(inputs)]
        if not own:
            vectors.append(residual[i])
        total = sum(vectors) + bias
        if norm_first:
            output = total if biases else total - bias
        else:
            mean_off = np.eye(width) - np.ones((width, width)) / width
            matrix = np.diag(gamma) @ mean_off / np.sqrt(total.var() + 1e-5)
            vectors = [matrix @ vector for vector in vectors]
            output = matrix @ total + beta if biases else sum(vectors)
        gains = [max(0.0, np.abs(output).sum() - np.abs(output - vector).sum()) for vector in vectors]
        rows.append(np.array(gains) / sum(gains))
    return np.array(rows)


def layer(
    states: np.ndarray, weights: Weights, name: str, heads: int, *, norm_first: bool, biases: bool,
    memory: np.ndarray | None = None, causal: bool = False,
) -> tuple[np.ndarray, list[np.ndarray]]:  # fmt: skip
    """Run a layer: its output, and the contributions of its blocks."""
    found = []
    for block in ["self_attn"] + ([] if memory is None else ["encoder_attn"]):
        path = f"{name}.{block}"
        first = np.array([norm(x, weights, f"{path}_layer_norm") for x in states]) if norm_first else states
        read = first if block == "self_attn" else memory
        own = block == "self_attn"
        parts, attended = attention(first, read, weights, path, heads, causal and own)
        found.append(contributions(parts, states, weights, path, norm_first=norm_first, own=own, biases=biases))
        states = states + attended
        if not norm_first:
            states = np.array([norm(x, weights, f"{path}_layer_norm") for x in states])
    rows = []
    for x in states:
        inner = norm(x, weights, f"{name}.final_layer_norm") if norm_first else x
        y = x + linear(np.maximum(linear(inner, weights, f"{name}.fc1"), 0), weights, f"{name}.fc2")
        rows.append(y if norm_first else norm(y, weights, f"{name}.final_layer_norm"))
    return np.array(rows), found


def encode(states: np.ndarray, weights: Weights, name: str, heads: int, layers: int, *, norm_first: bool, biases: bool):
    """An encoder's output and its rollout, in which each path from an input to an output is counted."""
    product = np.eye(len(states))
    for index in range(layers):
        path = f"{name}.layers.{index}"
        states, (found,) = layer(states, weights, path, heads, norm_first=norm_first, biases=biases)
        product = np.array(
            [
                [sum(found[i, k] * product[k, j] for k in range(len(states))) for j in range(len(states))]
                for i in range(len(states))
            ]
        )
    if norm_first:
        states = np.array([norm(x, weights, f"{name}.layer_norm") for x in states])
    return states, product


def decode(
    states: np.ndarray, memory: np.ndarray, product: np.ndarray, weights: Weights, heads: int, layers: int,
    *, norm_first: bool, biases: bool,
) -> np.ndarray:  # fmt: skip
    """The rows (T, S + T) of the predicted tokens."""
    source, target = len(memory), len(states)
    rows = np.hstack([np.zeros((target, source)), np.eye(target)])
    for index in range(layers):
        states, (own, crossed) = layer(
            states, weights, f"model.decoder.layers.{index}", heads,
            norm_first=norm_first, biases=biases, memory=memory, causal=True,
        )  # fmt: skip
        mixed = np.zeros_like(rows)
        for t in range(target):
            for s in range(source):
                mixed[t, s] += sum(crossed[t, k] * product[k, s] for k in range(source))
            for before in range(t + 1):
                mixed[t] += crossed[t, source] * own[t, before] * rows[before]
        rows = mixed
    return rows
