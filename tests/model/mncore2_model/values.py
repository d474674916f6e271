"""Operand values for random programs: ties, near-cancellation, exponent borders, specials."""

from .formats import BY_LETTER, DOUBLE, HALF, SINGLE, encode_fraction, exact


def mantissa(rng, fmt):
    """Mantissas whose low bits, high bits or runs of ones decide roundings."""
    m = fmt.man_bits
    kind = rng.randrange(8)
    if kind < 3:
        return rng.getrandbits(m)
    if kind == 3:
        return rng.choice([0, 1, fmt.man_mask, fmt.man_mask - 1, 1 << (m - 1), fmt.man_mask >> 1])
    if kind == 4:
        return rng.getrandbits(4) << (m - 4)
    if kind == 5:
        return fmt.man_mask & ~rng.getrandbits(3)
    if kind == 6:
        return (rng.getrandbits(m // 2) << (m - m // 2)) | rng.getrandbits(2)
    return (fmt.man_mask << rng.randrange(m)) & fmt.man_mask


def number(rng, fmt, specials=True):
    """One pattern of fmt. Without `specials`: finite, exponents away from both borders."""
    sign = rng.getrandbits(1)
    kind = rng.randrange(20)
    if not specials:
        spread = rng.choice([1, 3, 8])
        exp = fmt.bias + rng.randint(-spread, spread) if kind else 0
        return fmt.pack(sign, exp, mantissa(rng, fmt) if exp else 0)
    if kind == 0:
        return fmt.pack(sign, 0, rng.choice([0, 0, 1, fmt.man_mask]))
    if kind == 1:
        return fmt.pack(sign, fmt.exp_max, rng.choice([0, 0, 1, fmt.man_mask]))
    if kind == 2:
        return fmt.pack(sign, rng.choice([1, 2, fmt.man_bits, fmt.exp_max - 1, fmt.exp_max - 2]), mantissa(rng, fmt))
    if kind == 3:
        return fmt.pack(sign, rng.randrange(fmt.exp_max + 1), mantissa(rng, fmt))
    spread = rng.choice([0, 2, 4, fmt.man_bits])
    exp = min(max(fmt.bias + rng.randint(-spread, spread), 1), fmt.exp_max - 1)
    return fmt.pack(sign, exp, mantissa(rng, fmt))


def addend_for(rng, fmt, a, b, cfmt):
    """An addend near -a*b, near half an ulp of it, or unrelated: what makes one rounding visible."""
    x, y = exact(fmt, a), exact(fmt, b)
    kind = rng.randrange(8)
    if kind < 3 or isinstance(x, str) or isinstance(y, str) or x * y == 0:
        return number(rng, cfmt)
    product = x * y
    if kind < 6:
        near = encode_fraction(cfmt, -product)
        near = (near + rng.choice([0, 0, 1, -1, 2, 1 << rng.randrange(cfmt.man_bits)])) & cfmt.mask
        return near
    # an addend whose own half ulp is about the product: ties and sticky bits
    shift = rng.randint(cfmt.man_bits - 1, cfmt.man_bits + 3)
    return encode_fraction(cfmt, product * 2**shift * rng.choice([1, -1]))


def words_of(letter, elements):
    """Elements to long words, MSB side first."""
    w = BY_LETTER[letter].width if letter in "dfh" else {"l": 64, "i": 32, "s": 16}[letter]
    per = 64 // w
    out = []
    for i in range(0, len(elements), per):
        acc = 0
        for e in elements[i : i + per]:
            acc = (acc << w) | e
        out.append(acc)
    return out


def integer(rng, w):
    return rng.choice(
        [
            0,
            1,
            (1 << w) - 1,
            1 << (w - 1),
            (1 << (w - 1)) - 1,
            rng.getrandbits(w),
            rng.getrandbits(w),
            rng.randrange(40),
            (1 << w) - 1 - rng.randrange(40),
        ]
    )


def data(rng, letter, lws, specials=True):
    """`lws` long words of one precision."""
    if letter in "lis":
        w = {"l": 64, "i": 32, "s": 16}[letter]
        return words_of(letter, [integer(rng, w) for _ in range(lws * 64 // w)])
    fmt = BY_LETTER[letter]
    return words_of(letter, [number(rng, fmt, specials) for _ in range(lws * 64 // fmt.width)])


def triple(rng, letter, lws):
    """Long words (x, y, z) of `lws` related products; z of a half product is a single, so twice as long."""
    fmt = BY_LETTER[letter]
    acc = {"h": SINGLE, "f": SINGLE, "d": DOUBLE}[letter]
    n = lws * 64 // fmt.width
    xs = [number(rng, fmt) for _ in range(n)]
    ys = [number(rng, fmt) for _ in range(n)]
    zs = [addend_for(rng, fmt, a, b, acc) for a, b in zip(xs, ys)]
    return words_of(letter, xs), words_of(letter, ys), words_of("d" if acc is DOUBLE else "f", zs)


def cancelling(rng, fmt, n=16):
    """n summands of a reduction: large ones that cancel, small ones near the guard bits, so that the order of
    addition and both roundings of a node show in the sum."""
    out = [number(rng, fmt) if rng.random() < 0.2 else 0 for _ in range(n)]
    places = rng.sample(range(n), min(n, 8))
    exp = fmt.bias + rng.randint(-4, 8)
    for a, b in zip(places[0:4:2], places[1:4:2]):
        big = fmt.pack(rng.getrandbits(1), exp, mantissa(rng, fmt))
        out[a] = big
        out[b] = big ^ fmt.sign_bit ^ rng.choice([0, 0, 1, 2])
        exp += rng.choice([0, 0, -3, 1])
    for a in places[4 : 4 + rng.randrange(1, 5)]:
        small = max(
            1,
            exp
            - rng.choice(
                [
                    1,
                    3,
                    4,
                    fmt.man_bits,
                    fmt.man_bits + 1,
                    fmt.man_bits + 2,
                    fmt.man_bits + 3,
                    fmt.man_bits + 4,
                    fmt.man_bits + 5,
                ]
            ),
        )
        out[a] = fmt.pack(rng.getrandbits(1), small, rng.choice([0, 1 << (fmt.man_bits - 1), mantissa(rng, fmt)]))
    return out


__all__ = ["HALF", "addend_for", "cancelling", "data", "integer", "mantissa", "number", "triple", "words_of"]
