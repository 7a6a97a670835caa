import type { Definitions } from './definition.ts';
import { type KeyedDefinition, meaningsOf, searchesIn } from './definition.ts';
import type { Generation, Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

export interface PlannedChange {
  /** `search:USER.name`, `view:GOAL`. */
  name: string;
  with?: readonly string[];
  /**
   * `add`: the table has nothing of this name. `move`: it has a definition with the same meaning in another place,
   * which is removed without an action. `change`: it has another meaning, which stays until it is retired. `build`: it
   * isn't ready yet. `extra`: the model lacks it; it stays until it is dropped.
   */
  change: 'add' | 'move' | 'change' | 'build' | 'extra';
}

export function plannedChanges(
  registry: Registry | undefined,
  data: DefinitionData,
  { projections, views }: Definitions,
): PlannedChange[] {
  const changes: PlannedChange[] = [];
  const expected = new Set([...projections.values()].flatMap(({ meanings }) => meanings));
  const meaningsIn = ({ definition }: Generation): string[] => {
    const stored = data.get(definition);
    return stored === undefined ? [''] : meaningsOf(stored);
  };
  // The model has all of it, perhaps in other items.
  const isSaid = (generation: Generation): boolean => meaningsIn(generation).every((meaning) => expected.has(meaning));
  const isLive = ({ state }: Generation): boolean => state !== 'absent';
  const maintained = new Set(
    [...(registry?.projections.values() ?? [])].flatMap(({ generations }) =>
      generations.filter(isLive).flatMap(meaningsIn),
    ),
  );
  for (const { name, definition, fingerprint, meanings } of projections.values()) {
    const named = { name, ...othersIn(definition) };
    const live = (registry?.projections.get(name)?.generations ?? []).filter(isLive);
    const own = live.find(({ definition }) => definition === fingerprint);
    if (own !== undefined) {
      if (own.state !== 'ready') changes.push({ ...named, change: 'build' });
      continue;
    }
    const isMove = live.length === 0 ? meanings.every((meaning) => maintained.has(meaning)) : live.some(isSaid);
    changes.push({ ...named, change: isMove ? 'move' : live.length === 0 ? 'add' : 'change' });
  }
  for (const [type, { name, fingerprint }] of views) {
    const shape = registry?.shapes.get(type)?.shape;
    if (shape === undefined) changes.push({ name, change: 'add' });
    else if (shape.definition !== fingerprint) changes.push({ name, change: 'change' });
    else if (!shape.trusted || !shape.ready) changes.push({ name, change: 'build' });
  }
  for (const [name, { generations }] of registry?.projections ?? []) {
    const isExtra = !projections.has(name) && generations.length > 0 && !generations.every(isSaid);
    if (isExtra) changes.push({ name, change: 'extra' });
  }
  const searches = new Set([...projections.values()].flatMap(({ data: own }) => searchesIn(own)));
  const shared = [...(registry?.projections ?? [])].flatMap(([name, { generations }]) =>
    projections.has(name)
      ? generations.filter(isLive).flatMap(({ definition }) => searchesIn(data.get(definition)))
      : [],
  );
  for (const search of new Set(shared)) {
    if (!searches.has(search)) changes.push({ name: `search:${search}`, change: 'extra' });
  }
  for (const [type, { shape }] of registry?.shapes ?? []) {
    if (!views.has(type) && shape !== undefined) changes.push({ name: `view:${type}`, change: 'extra' });
  }
  return changes;
}

function othersIn(definition: KeyedDefinition): Pick<PlannedChange, 'with'> {
  if (definition.kind !== 'search' || definition.packed === undefined) return {};
  return { with: definition.packed.map(({ name }) => name) };
}

const WORDS: Readonly<Record<PlannedChange['change'], string>> = {
  add: 'will be built',
  move: 'will be built in its new place; the old one goes by itself',
  change: 'will be built next to the definition of other models',
  build: 'is being built',
  extra: 'is not in this model; it stays until edgeloom migrate --drop of its name, or --undo',
};

export function changeText({ name, with: others = [], change }: PlannedChange): string {
  return `${name}${others.length === 0 ? '' : ` (with ${others.join(', ')})`} ${WORDS[change]}`;
}
