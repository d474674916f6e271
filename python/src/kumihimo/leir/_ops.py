"""One function per op. Generated from the op table by tools/gen/python_ops.py; do not edit."""

from kumihimo.leir.values import Value, apply

__all__ = [
    "immediate_float",
    "output",
    "broadcast_download",
    "distribute_download",
    "unicast_download",
    "reduce_upload",
    "relayout",
    "cast",
    "bf",
    "add",
    "sub",
    "mul",
    "max",
    "where",
    "exp",
    "linear",
    "reduce_max",
    "reduce_sum",
]


def immediate_float(value: float, dtype: str, *, variant: str | None = None) -> Value:
    """A constant of the program text; it has no layout and fits every place.

    Args:
        value: the number.
        dtype: half, single or double.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("immediate_float", (), {"value": value, "dtype": dtype, "variant": variant})


def output(x: Value, name: str, *, variant: str | None = None) -> None:
    """Names a value as a result of the program.

    Args:
        x: the result.
        name: name of the result.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    apply("output", (x,), {"name": name, "variant": variant})


def broadcast_download(x: Value, to: str | None = None, *, variant: str | None = None) -> Value:
    """Moves down across levels that the layout does not name: every child gets a copy.

    Args:
        x: the value to move.
        to: memory to move to; absent = the usual one of this op.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("broadcast_download", (x,), {"to": to, "variant": variant})


def distribute_download(x: Value, to: str | None = None, *, variant: str | None = None) -> Value:
    """Moves down across named levels: every child gets its own points, with copies over the unnamed rest.

    Args:
        x: the value to move.
        to: memory to move to; absent = the usual one of this op.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("distribute_download", (x,), {"to": to, "variant": variant})


def unicast_download(x: Value, to: str | None = None, *, variant: str | None = None) -> Value:
    """Moves down so that every child reads its own slot and no copies arise.

    Args:
        x: the value to move.
        to: memory to move to; absent = the usual one of this op.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("unicast_download", (x,), {"to": to, "variant": variant})


def reduce_upload(x: Value, to: str | None = None, *, variant: str | None = None) -> Value:
    """Moves up and reduces the partial copies that the layout names.

    Args:
        x: the value to move.
        to: memory to move to; absent = the usual one of this op.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("reduce_upload", (x,), {"to": to, "variant": variant})


def relayout(x: Value, layout: str, to: str | None = None, *, variant: str | None = None) -> Value:
    """Changes the layout inside a memory; same values.

    Args:
        x: the value to move.
        layout: layout text of the result.
        to: memory to move to; absent = the usual one of this op.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("relayout", (x,), {"layout": layout, "to": to, "variant": variant})


def cast(x: Value, dtype: str, *, variant: str | None = None) -> Value:
    """Converts between ordinary float dtypes, rounding to nearest even.

    Args:
        x: the value to convert.
        dtype: dtype of the result.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("cast", (x,), {"dtype": dtype, "variant": variant})


def bf(x: Value, *, variant: str | None = None) -> Value:
    """Converts to block floats: the elements of a block share the largest exponent.

    Args:
        x: ordinary floats.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("bf", (x,), {"variant": variant})


def add(x: Value, y: Value, *, variant: str | None = None) -> Value:
    """X + y, rounded once.

    Args:
        x: left side.
        y: right side.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("add", (x, y), {"variant": variant})


def sub(x: Value, y: Value, *, variant: str | None = None) -> Value:
    """X - y, rounded once.

    Args:
        x: left side.
        y: right side.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("sub", (x, y), {"variant": variant})


def mul(x: Value, y: Value, *, variant: str | None = None) -> Value:
    """X * y through the machine's multiplier.

    Args:
        x: left side.
        y: right side.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("mul", (x, y), {"variant": variant})


def max(x: Value, y: Value, *, variant: str | None = None) -> Value:
    """The larger of x and y.

    Args:
        x: left side.
        y: right side.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("max", (x, y), {"variant": variant})


def where(condition: Value, x: Value, y: Value, *, variant: str | None = None) -> Value:
    """X where the condition is true, else y.

    Args:
        condition: truth values.
        x: value where true.
        y: value where false.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("where", (condition, x, y), {"variant": variant})


def exp(x: Value, *, variant: str | None = None) -> Value:
    """E to the power of x; exp(-inf) = +0.

    Args:
        x: exponent.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("exp", (x,), {"variant": variant})


def linear(x: Value, w: Value, stationary: str | None = "w", *, variant: str | None = None) -> Value:
    """X times w transposed, contracted over the last dim of both.

    Args:
        x: (…, M, K).
        w: (…, N, K).
        stationary: operand that stays in the matrix unit: 'x' or 'w'.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("linear", (x, w), {"stationary": stationary, "variant": variant})


def reduce_max(x: Value, axis: int, keepdims: bool | None = False, *, variant: str | None = None) -> Value:
    """Largest element along a dim; digits on machine axes leave partial maxima.

    Args:
        x: the value to reduce.
        axis: dim to reduce; negative counts from the end.
        keepdims: keep the reduced dim with extent 1.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("reduce_max", (x,), {"axis": axis, "keepdims": keepdims, "variant": variant})


def reduce_sum(x: Value, axis: int, keepdims: bool | None = False, *, variant: str | None = None) -> Value:
    """Sum along a dim in the stated tree order; digits on machine axes leave partial sums.

    Args:
        x: the value to reduce.
        axis: dim to reduce; negative counts from the end.
        keepdims: keep the reduced dim with extent 1.
        variant: implementation to take instead of the first that accepts.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    return apply("reduce_sum", (x,), {"axis": axis, "keepdims": keepdims, "variant": variant})
