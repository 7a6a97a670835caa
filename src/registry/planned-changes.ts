import type { Definitions } from './definition.ts';
import { meaningFingerprint } from './definition.ts';
import type { Registry } from './registry.ts';
import type { DefinitionData } from './revive.ts';

/** A difference between a model and a table's registry. */
export interface PlannedChange {
  /** `search:USER.name`, `view:GOAL`. */
  name: string;
  /**
   * `add`: the table maintains nothing of this name. `move`: it maintains another definition with the same meaning, which is
   * removed without an action. `change`: it maintains another meaning, which stays until it is retired. `build`: it is maintained
   * and not ready yet. `extra`: the model lacks it; it stays until it is dropped.
   */
  change: 'add' | 'move' | 'change' | 'build' | 'extra';
}

/** Compares a model with a registry; without a registry everything is to be added. */
export function plannedChanges(
  registry: Registry | undefined,
  data: DefinitionData,
  { projections, views }: Definitions,
): PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (const { name, fingerprint, meaning } of projections.values()) {
    const live = (registry?.projections.get(name)?.generations ?? []).filter(({ state }) => state !== 'absent');
    const own = live.find(({ definition }) => definition === fingerprint);
    if (own !== undefined) {
      if (own.state !== 'ready') changes.push({ name, change: 'build' });
      continue;
    }
    const isSame = live.some(({ definition }) => {
      const stored = data.get(definition);
      return stored !== undefined && meaningFingerprint(stored) === meaning;
    });
    changes.push({ name, change: live.length === 0 ? 'add' : isSame ? 'move' : 'change' });
  }
  for (const [type, { name, fingerprint }] of views) {
    const shape = registry?.shapes.get(type)?.shape;
    if (shape === undefined) changes.push({ name, change: 'add' });
    else if (shape.definition !== fingerprint) changes.push({ name, change: 'change' });
    else if (!shape.trusted || !shape.ready) changes.push({ name, change: 'build' });
  }
  for (const [name, { generations }] of registry?.projections ?? []) {
    if (!projections.has(name) && generations.length > 0) changes.push({ name, change: 'extra' });
  }
  for (const [type, { shape }] of registry?.shapes ?? []) {
    if (!views.has(type) && shape !== undefined) changes.push({ name: `view:${type}`, change: 'extra' });
  }
  return changes;
}

const WORDS: Readonly<Record<PlannedChange['change'], string>> = {
  add: 'will be built',
  move: 'will be built in its new shards; the old ones go by themselves',
  change: 'will be built next to the definition of other models',
  build: 'is being built',
  extra: 'is not in this model; it stays until edgeloom migrate --drop of its name, or --undo',
};

/** A change in words. */
export function changeText({ name, change }: PlannedChange): string {
  return `${name} ${WORDS[change]}`;
}
