/**
 * Generations of a projection: two definitions side by side under different keys, so that no query meets both. The
 * first has plain keys; later ones contain `@n`: `USER.name@2#161`, `~ix/@2/name`.
 */

/** The mark after a name in an index partition; empty for the first generation. */
export function generationMark(generation: number): string {
  return generation === 1 ? '' : `@${generation}`;
}

/** `~ix/` becomes `~ix/@2/`. */
export function generationPrefix(prefix: string, generation: number): string {
  return generation === 1 ? prefix : `${prefix}@${generation}/`;
}

const GENERATION_KEY = /^(~[a-z]+\/)@([1-9]\d{0,8})\/(.*)$/s;

export interface GenerationKey {
  generation: number;
  plain: string;
}

/** Text that isn't the mark of a later generation belongs to the key itself. */
export function splitGeneration(sortKey: string): GenerationKey {
  const match = sortKey.charCodeAt(0) === 126 ? GENERATION_KEY.exec(sortKey) : null;
  if (match === null || match[2] === '1') return { generation: 1, plain: sortKey };
  return { generation: Number(match[2]), plain: match[1]! + match[3]! };
}
