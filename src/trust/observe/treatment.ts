import { VIEW_KEY } from '../../core/items/keys.ts';
import { isMaintained, itemKindOf } from '../../core/kinds/all-kinds.ts';
import type { Part, Seen, Suspect } from '../../core/kinds/part.ts';
import { hasOtherShape } from '../../core/kinds/view.ts';
import type { CompiledModel, Standing, Standings } from '../../core/model/compiled.ts';
import { standingOf } from '../../registry/standing.ts';

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

/** Returns how a part is treated that was read. The registry treats some by what their items hold. */
export function treatmentOf(models: LookModels, { suspect, derived }: Pick<Seen, 'suspect' | 'derived'>): Treatment {
  const { standings } = models.graph;
  if (standings === undefined) return COMPARED;
  const { source, sortKey, part } = suspect;
  const { kind, name } = standingOf(models.graph, source, sortKey, derived ?? {});
  if (isAlien(kind)) {
    // rule: item-that-the-registry-lacks-is-judged-as-such
    if (derived === undefined || isAlien(part.kind)) return COMPARED;
    return { kind: 'instead', suspect: { source, sortKey, part: { kind } } };
  }
  const shaped = kind === 'compared' ? models.graph : models.maintained;
  // Readers take the base items in its place. The write that makes it whole opens its parts.
  // rule: view-of-another-shape-is-left-alone
  if (sortKey === VIEW_KEY && hasOtherShape(shaped, source, derived)) return ALONE;
  if (kind === 'compared') return COMPARED;
  const sinceMs = kind === 'changing' ? maintainedSinceMs(standings, name) : neededSinceMs(models, standings, suspect);
  // rule: part-of-what-is-built-waits
  return sinceMs === undefined ? ALONE : { kind: 'built', sinceMs };
}

function isAlien(kind: Standing['kind'] | Part['kind']): kind is 'retired' | 'unregistered' | 'misplaced' {
  return kind === 'retired' || kind === 'unregistered' || kind === 'misplaced';
}

/** The time since which writers maintain a projection that is being built; undefined: they do not, or its build has not begun. */
function maintainedSinceMs({ changing }: Standings, name: string): number | undefined {
  return changing.find((part) => part.name === name)?.sinceMs;
}

/** The same of an item without a generation, which something that is built may need. A fan-out that is under way is its own. */
function neededSinceMs({ maintained }: LookModels, { changing }: Standings, { sortKey }: Suspect): number | undefined {
  if (!isMaintained(maintained, sortKey) || itemKindOf(maintained, sortKey).decidedBy === 'time') return undefined;
  const times = changing.flatMap(({ sinceMs }) => sinceMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
