/** Seeded, so that every run has the same workload. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Returns a whole number in [0, `limit`). */
  below(limit: number): number;
}

/** Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (32-bit mix). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  return { next, below: (limit) => Math.floor(next() * limit) };
}

/** Draws rank k of `count` with a probability proportional to 1 / (k + 1) (Zipf's law). */
export function zipf(random: Random, count: number): () => number {
  const cumulative: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= count; rank++) {
    total += 1 / rank;
    cumulative.push(total);
  }
  return () => {
    const point = random.next() * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cumulative[middle]! > point) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
