/**
 * Generations of a projection: two definitions of it stand side by side under keys of their own, so that no query meets
 * both. The first generation has the plain keys; a later one has `@n` in them: `USER.name@2#161`, `~ix/@2/name`.
 */

/** The mark of generation n after a name in an index partition; empty for the first. */
export function generationMark(generation: number): string {
  return generation === 1 ? '' : `@${generation}`;
}

/** A prefix of derived sort keys such as `~ix/`, for a generation: `~ix/@2/`. */
export function generationPrefix(prefix: string, generation: number): string {
  return generation === 1 ? prefix : `${prefix}@${generation}/`;
}

const GENERATION_KEY = /^(~[a-z]+\/)@([1-9]\d{0,8})\/(.*)$/s;

/** A derived sort key, taken apart: its generation, and the same key without the mark of that. */
export interface GenerationKey {
  generation: number;
  plain: string;
}

/** The generation of a derived sort key. A text that is no mark of a later generation belongs to the key itself. */
export function splitGeneration(sortKey: string): GenerationKey {
  const match = sortKey.charCodeAt(0) === 126 ? GENERATION_KEY.exec(sortKey) : null;
  if (match === null || match[2] === '1') return { generation: 1, plain: sortKey };
  return { generation: Number(match[2]), plain: match[1]! + match[3]! };
}
