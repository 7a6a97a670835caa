import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource } from '../../core/store-port.ts';
import { TableWalk, type WalkedItem, walkStart } from '../../store/table-walk.ts';
import type { SubjectNames, SubjectRole } from './subject-names.ts';

export interface SubjectItem extends WalkedItem {
  role: SubjectRole;
}

export interface SubjectWalkOptions {
  graph: Pick<CompiledModel, 'table'>;
  source: ScanSource;
  names: SubjectNames;
  segments: number;
  remainingMs: () => number;
  cleaned?: ((item: WalkedItem) => Promise<WalkedItem>) | undefined;
  onProgress?: ((items: number) => void) | undefined;
}

export const SUBJECT_SEGMENTS = 8;
const UNIT_BYTES = 4096;

/** Assumes consistent reads, because an item just written may be the subject's. */
export function walkRcu(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / UNIT_BYTES));
}

/**
 * Walks the table. Returns false if time ran out before its end.
 *
 * @param visit returns the items that it has deleted.
 */
export async function walkForSubject(
  { graph, source, names, segments, remainingMs, cleaned, onProgress }: SubjectWalkOptions,
  visit: (items: readonly SubjectItem[]) => Promise<readonly WalkedItem[]>,
): Promise<boolean> {
  const deleted = new WeakSet<object>();
  let read = 0;
  const walk = new TableWalk(
    {
      graph,
      source,
      read: { consistent: true },
      concurrency: segments,
      isOver: () => remainingMs() <= 0,
      stays: ({ item }) => !deleted.has(item),
      onPage: ({ items }) => {
        read += items.length;
        onProgress?.(read);
      },
    },
    walkStart(segments),
  );
  await walk.run(async ({ items: stored }) => {
    const items: WalkedItem[] = [];
    for (const item of stored) items.push(cleaned === undefined ? item : await cleaned(item));
    const named = items.flatMap((walked): SubjectItem[] => {
      const role = names.roleOf(walked);
      return role === undefined ? [] : [{ ...walked, role }];
    });
    if (named.length > 0) for (const { item } of await visit(named)) deleted.add(item);
    return true;
  });
  return walk.isDone;
}
