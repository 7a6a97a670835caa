/** An edge type between node types. */
export interface TypeLink {
  from: readonly string[];
  to: readonly string[];
}

/** Node types of a group at most: more are no overview. */
const MOST_TYPES = 8;

/**
 * Puts node types that many edge types connect into groups. It begins with a group for each type, and joins the two groups whose union raises
 * the modularity most (Clauset, Newman and Moore 2004), until none does. The first type of a group has the most edge types; groups and
 * types are in an order that the model alone decides.
 */
export function groupTypes(types: readonly string[], links: readonly TypeLink[]): string[][] {
  const weights = weightsOf(types, links);
  const degrees = new Map(types.map((type) => [type, sumOf([...weights.get(type)!.values()])]));
  const all = Math.max(1, sumOf([...degrees.values()]));
  const between = (left: readonly string[], right: readonly string[]): number =>
    sumOf(left.flatMap((one) => right.map((other) => weights.get(one)!.get(other) ?? 0)));
  const degreeOf = (group: readonly string[]): number => sumOf(group.map((type) => degrees.get(type)!));
  let groups = types.map((type) => [type]);
  for (;;) {
    let best: { gain: number; left: string[]; right: string[] } | undefined;
    for (const [i, left] of groups.entries()) {
      for (const right of groups.slice(i + 1)) {
        if (left.length + right.length > MOST_TYPES) continue;
        const gain = between(left, right) / all - (degreeOf(left) * degreeOf(right)) / all ** 2;
        if (gain > (best?.gain ?? 0)) best = { gain, left, right };
      }
    }
    if (best === undefined) break;
    const { left, right } = best;
    groups = groups.filter((group) => group !== right).map((group) => (group === left ? [...left, ...right] : group));
  }
  const busiestFirst = (left: string, right: string): number =>
    degrees.get(right)! - degrees.get(left)! || types.indexOf(left) - types.indexOf(right);
  return groups.map((group) => group.sort(busiestFirst));
}

/** How many edge types connect each two node types. */
function weightsOf(types: readonly string[], links: readonly TypeLink[]): Map<string, Map<string, number>> {
  const weights = new Map(types.map((type) => [type, new Map<string, number>()]));
  for (const { from, to } of links) {
    for (const [one, other] of from.flatMap((start) => to.map((end) => [start, end] as const))) {
      if (one === other) continue;
      for (const [left, right] of [
        [one, other],
        [other, one],
      ] as const) {
        weights.get(left)?.set(right, (weights.get(left)?.get(right) ?? 0) + 1);
      }
    }
  }
  return weights;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
