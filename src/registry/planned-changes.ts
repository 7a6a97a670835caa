import { type Definitions, isViewName, meaningsOf, searchesIn } from './definition.ts';
import { type Generation, isLive, projectionsInForce, type Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

export interface PlannedChange {
  name: string;
  with?: readonly string[];
  /**
   * - `add`: the table has no projection of this name.
   * - `move`: the table has the same meaning in another place. A migration removes the old items automatically.
   * - `change`: the table has another meaning, which stays until it is retired. (New views replace the old ones.)
   * - `build`: the projection isn't ready yet.
   * - `extra`: the model lacks the projection, which stays until it is dropped.
   */
  change: 'add' | 'move' | 'change' | 'build' | 'extra';
}

export function plannedChanges(
  registry: Registry | undefined,
  data: DefinitionData,
  expected: Definitions,
): PlannedChange[] {
  const changes: PlannedChange[] = [];
  const meaningsOfModel = new Set([...expected.values()].flatMap(({ meanings }) => meanings));
  const meaningsIn = ({ definition }: Generation): string[] => {
    const stored = data.get(definition);
    return stored === undefined ? [''] : meaningsOf(stored);
  };
  const isInModel = (generation: Generation): boolean =>
    meaningsIn(generation).every((meaning) => meaningsOfModel.has(meaning));
  const allLive = projectionsInForce(registry).filter(isLive);
  const known = new Set(allLive.flatMap(meaningsIn));
  for (const { name, definition, fingerprint, meanings } of expected.values()) {
    const packed = definition.kind === 'search' ? definition.packed : undefined;
    const named = { name, ...(packed && { with: packed.map((search) => search.name) }) };
    const live = allLive.filter((one) => one.name === name);
    const own = live.find((one) => one.definition === fingerprint);
    if (own !== undefined) {
      if (own.state !== 'ready') changes.push({ ...named, change: 'build' });
      continue;
    }
    const isMove = live.length === 0 ? meanings.every((meaning) => known.has(meaning)) : live.some(isInModel);
    changes.push({ ...named, change: isMove ? 'move' : live.length === 0 ? 'add' : 'change' });
  }
  const others = allLive.filter((one) => !expected.has(one.name) && !isInModel(one)).map(({ name }) => name);
  const searches = new Set([...expected.values()].flatMap(({ data: own }) => searchesIn(own)));
  const shared = allLive
    .filter(({ name }) => expected.has(name))
    .flatMap(({ definition }) => searchesIn(data.get(definition)))
    .filter((search) => !searches.has(search))
    .map((search) => `search:${search}`);
  for (const name of new Set([...others, ...shared])) changes.push({ name, change: 'extra' });
  return changes;
}

const WORDS: Readonly<Record<PlannedChange['change'], string>> = {
  add: 'will be built',
  move: 'will be built in its new place; the old items are removed automatically',
  change: 'will be built next to the definition of other models',
  build: 'is being built',
  extra: 'is not in this model; it stays until edgeloom migrate --drop of its name, or --undo',
};

export function changeText({ name, with: others = [], change }: PlannedChange): string {
  const words = change === 'change' && isViewName(name) ? 'will be replaced' : WORDS[change];
  return `${name}${others.length === 0 ? '' : ` (with ${others.join(', ')})`} ${words}`;
}
