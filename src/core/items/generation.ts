/**
 * Keys of later generations contain the generation, as in `USER.name@2#161` and `~ix/@2/name`, so no query mixes
 * generations.
 */

export function generationMark(generation: number): string {
  return generation === 1 ? '' : `@${generation}`;
}

export function generationPrefix(prefix: string, generation: number): string {
  return generation === 1 ? prefix : `${prefix}@${generation}/`;
}

const GENERATION_KEY = /^(~[a-z]+\/)@([1-9]\d{0,8})\/(.*)$/s;

export function splitGeneration(sortKey: string): { generation: number; plain: string } {
  const match = sortKey.charCodeAt(0) === 126 ? GENERATION_KEY.exec(sortKey) : null;
  if (match === null || match[2] === '1') return { generation: 1, plain: sortKey };
  return { generation: Number(match[2]), plain: match[1]! + match[3]! };
}
