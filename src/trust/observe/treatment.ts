import type { Part, Suspect } from '../../core/kinds/part.ts';
import { isMaintained, itemKindOf } from '../../core/kinds/table.ts';
import type { CompiledModel, Concern, Concerns } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { concernOf } from '../../registry/concerns.ts';

/**
 * How a look treats a part, by the state that the registry gives to what its item belongs to.
 * - `compared`: readers use it;
 * - `built`: readers do not use it yet, and writers maintain it since a time;
 * - `alone`: readers do not use it, and nothing that is under way makes them;
 * - `instead`: the registry has no place for the item: that is what is wrong with it, whatever it holds.
 */
export type Treatment =
  | { kind: 'compared' | 'alone' }
  | { kind: 'built'; sinceMs: number }
  | { kind: 'instead'; suspect: Suspect };

/** The models of a look: of what is ready, and of all that writers maintain. */
export interface LookModels {
  graph: CompiledModel;
  maintained: CompiledModel;
}

const COMPARED: Treatment = { kind: 'compared' };
const ALONE: Treatment = { kind: 'alone' };

/** Returns how parts are treated, in their order. Their items are read again: the registry treats some by what they hold. */
export async function treatmentsOf(
  models: LookModels,
  store: Pick<Store, 'getMany'>,
  suspects: readonly Suspect[],
): Promise<Treatment[]> {
  const { concerns } = models.graph;
  if (concerns === undefined) return suspects.map(() => COMPARED);
  const keys = suspects.map(({ source, sortKey }): ItemKey => ({ source, target: sortKey }));
  const { items } = await store.getMany(keys, { consistent: true });
  return suspects.map((suspect, i): Treatment => {
    const { source, sortKey, part } = suspect;
    const { kind, name } = concernOf(models.graph, source, sortKey, items[i] ?? {});
    if (isAlien(kind)) {
      // rule: item-that-the-registry-lacks-is-judged-as-such
      if (items[i] === undefined || isAlien(part.kind)) return COMPARED;
      return { kind: 'instead', suspect: { source, sortKey, part: { kind } } };
    }
    if (kind === 'compared') return COMPARED;
    const sinceMs = kind === 'changing' ? maintainedSinceMs(concerns, name) : neededSinceMs(models, concerns, suspect);
    // rule: part-of-what-is-built-waits
    return sinceMs === undefined ? ALONE : { kind: 'built', sinceMs };
  });
}

function isAlien(kind: Concern['kind'] | Part['kind']): kind is 'retired' | 'unregistered' | 'misplaced' {
  return kind === 'retired' || kind === 'unregistered' || kind === 'misplaced';
}

/** Since when writers maintain what is built; undefined: they do not, or its build has not begun. */
function maintainedSinceMs({ changing }: Concerns, name: string): number | undefined {
  return changing.find((part) => part.name === name)?.sinceMs;
}

/** The same of an item without a generation, which something that is built may need. A fan-out that is under way is its own. */
function neededSinceMs({ maintained }: LookModels, { changing }: Concerns, { sortKey }: Suspect): number | undefined {
  if (!isMaintained(maintained, sortKey) || itemKindOf(maintained, sortKey).decidedBy === 'time') return undefined;
  const times = changing.flatMap(({ sinceMs }) => sinceMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
