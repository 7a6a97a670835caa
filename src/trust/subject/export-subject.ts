import { nodeKey } from '../../client/write/item/prepare.ts';
import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { RUNTIME_OPTIONS, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { runAbortable } from '../../store/abortable.ts';
import { MeteredStore, type RateOptions } from '../../store/metered.ts';
import { type WalkedItem, walkedItem } from '../../store/table-walk.ts';
import { SubjectNames, type SubjectRole } from './subject-names.ts';
import { SUBJECT_SEGMENTS, walkForSubject } from './subject-walk.ts';

/** Options of `exportSubject`. */
export interface SubjectExportOptions extends RuntimeOptions, Pick<RateOptions, 'maxRcu'> {
  /** The table to read. */
  store: Store & ScanSource;
  /** The subject's node id. */
  id: string;
  /** Called with each item. Items in the node's own partition come first, sorted by key. */
  onItem: (item: ExportedSubjectItem) => void | Promise<void>;
  /** Number of segments that are read in parallel. Default: 8. */
  segments?: number | undefined;
  /** Called after each page with the number of items read. */
  onProgress?: ((items: number) => void) | undefined;
}

/** An item that names the subject. */
export interface ExportedSubjectItem {
  source: string;
  target: string;
  /** `base`, `derived`, `entry` (of the quarantine), or `mention`: an unrelated item with the id in an attribute. */
  kind: SubjectRole['kind'];
  /** Complete if the item's key names the subject. Otherwise, only the item's keys and what names the subject. */
  item: Item;
}

/** The result of `exportSubject`. */
export interface SubjectExport {
  /** Number of items by kind. */
  items: Record<SubjectRole['kind'], number>;
  rcu: number;
  /** False if time ran out before the end of the table. */
  isWhole: boolean;
}

/**
 * Finds every item that names a node: its base items and what is derived from them, edges from any partition that enter
 * it, and items with its id in an attribute. Reads the whole table once, since an edge may be in no list.
 *
 * @example
 * await exportSubject(graph, { store, id: 'USER-U1', onItem: ({ source, target }) => console.log(source, target) });
 */
export async function exportSubject(graph: CompiledModel, options: SubjectExportOptions): Promise<SubjectExport> {
  checkStoreOptions('exportSubject', options, {
    store: true,
    id: true,
    onItem: 'function',
    segments: 'count',
    maxRcu: 'rate',
    onProgress: 'function',
    ...RUNTIME_OPTIONS,
  });
  return await runAbortable(options.store, options, async (store, wait) => {
    const { id, onItem, segments = SUBJECT_SEGMENTS, maxRcu, onProgress } = options;
    nodeKey(graph, id);
    const { remainingMs, random } = runtimeOf(options);
    const metered = new MeteredStore(store, { remainingMs, random, wait, maxRcu });
    const names = new SubjectNames(id, graph);
    const items: SubjectExport['items'] = { base: 0, derived: 0, entry: 0, mention: 0 };
    const give = async (walked: WalkedItem, { kind }: SubjectRole): Promise<void> => {
      items[kind] += 1;
      const { source, target } = walked;
      await onItem({ source, target, kind, item: names.excerptOf(walked) });
    };
    for await (const item of queriedItems(metered, { partition: id, consistent: true })) {
      const walked = walkedItem(graph, item);
      await give(walked, names.roleOf(walked)!);
    }
    const walk = { graph, source: metered, names, segments, remainingMs, onProgress };
    const isWhole = await walkForSubject(walk, async (found) => {
      for (const { role, ...walked } of found) {
        // An uncertain mention may be someone else's data.
        const isMaybe = role.kind === 'mention' && !role.isSure;
        if (walked.source !== id && !isMaybe) await give(walked, role);
      }
      return [];
    });
    return { items, rcu: metered.rcu, isWhole };
  });
}
