import type { Item } from './images.ts';
import type { Workload } from './workload.ts';

/** Throws where the views' edge sets are not those of the workload's oracle. */
export function checkEdgeSets(consumer: string, { members }: Workload, items: ReadonlyMap<string, Item>): void {
  const stored = new Map<string, Set<string>>();
  for (const [key, { edgeSet }] of items) {
    if (!key.endsWith(' ~view') || edgeSet === undefined || !('SS' in edgeSet)) continue;
    stored.set(key.slice(0, -' ~view'.length), new Set(edgeSet.SS));
  }
  for (const [source, roles] of members) {
    const wanted = [...roles].map(([target, role]) => `GOALMEMBERSHIP-${target}|memberRole=${role}`);
    const found = stored.get(source) ?? new Set<string>();
    stored.delete(source);
    if (wanted.length === found.size && wanted.every((element) => found.has(element))) continue;
    throw new Error(
      `${consumer} left ${found.size} elements in the edge set of ${source}, or others than the oracle's ${wanted.length}`,
    );
  }
  for (const source of stored.keys()) throw new Error(`${consumer} left an edge set at ${source}, which has no edges`);
}

/** Throws where the index items of edges and of goals' statuses are not those of the workload's oracle. */
export function checkIndexItems(consumer: string, workload: Workload, items: ReadonlyMap<string, Item>): void {
  const wanted = wantedSortKeys(workload);
  for (const [key, item] of items) {
    const sortKey = item['gsi0sk'];
    if (sortKey === undefined) continue;
    if (!('S' in sortKey) || sortKey.S !== wanted.get(key))
      throw new Error(`${consumer} left a wrong index item at ${key}`);
    wanted.delete(key);
  }
  for (const key of wanted.keys()) throw new Error(`${consumer} left no index item at ${key}`);
}

/** The sort keys in gsi0 of the index items of edges, and of goals' statuses and due dates. */
function wantedSortKeys({ members, goals }: Workload): Map<string, string> {
  const weights: Record<string, number> = { LEAD: 500, CONTRIBUTOR: 400, VIEWER: 300 };
  const wanted = new Map<string, string>();
  for (const [source, roles] of members) {
    for (const [target, role] of roles) {
      wanted.set(`${source} ~ix/GOALMEMBERSHIP-${target}`, `${weights[role]}-${role}\u0000${source}`);
    }
  }
  for (const { source, status, dueDate } of goals.values()) {
    wanted.set(`${source} ~ix/status`, `${status}\u0000${source}`);
    wanted.set(`${source} ~ix/dueDate`, `${dueDate}T00:00:00\u0000${source}`);
  }
  return wanted;
}

/** How many views and index items are not those of the workload's oracle: wrong, missing, or too many. */
export function wrongItems(workload: Workload, items: ReadonlyMap<string, Item>): number {
  const wanted = wantedSortKeys(workload);
  let wrong = 0;
  for (const [key, item] of items) {
    const sortKey = item['gsi0sk'];
    if (key.endsWith(' ~view')) wrong += hasWantedSet(workload, key.slice(0, -' ~view'.length), item) ? 0 : 1;
    if (sortKey === undefined) continue;
    if (!('S' in sortKey) || sortKey.S !== wanted.get(key)) wrong += 1;
    wanted.delete(key);
  }
  return wrong + wanted.size;
}

function hasWantedSet({ members }: Workload, source: string, { edgeSet }: Item): boolean {
  const stored = new Set(edgeSet !== undefined && 'SS' in edgeSet ? edgeSet.SS : []);
  const roles = members.get(source) ?? new Map<string, string>();
  const isIn = ([target, role]: [string, string]): boolean => stored.has(`GOALMEMBERSHIP-${target}|memberRole=${role}`);
  return stored.size === roles.size && [...roles].every(isIn);
}
