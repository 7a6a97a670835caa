import { type Item, sameItem } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { basesOfPart, contentOf, type ExpectedView, viewDifferences } from '../../kernel/stored-parts.ts';
import { keysOf, setOf, textOf } from '../../kernel/values.ts';
import type { WrittenTable } from './table.ts';

/** What the table of a schedule keeps of its edges. Written from the pages for users, and by no code of the library. */
export interface Features {
  /** LIKES copies the name of its user. */
  copies: boolean;
  /** LIKES is counted. */
  counts: boolean;
  /** SELLS is in a list that is sorted by the title of its shop. */
  joins: boolean;
}

/** A derived value that is wrong. */
export interface Wrong {
  /** The derived item, the kind of the part, and what distinguishes it in the item. */
  name: string;
  item: string;
  /** The items that decide about it, and the item itself; one that ends with a star stands for all that begin so. */
  touchedBy: string[];
  text: string;
}

export function nameOfPart(item: ItemKey, kind: string, detail = ''): string {
  return `${keysOf(item)} ${kind} ${detail}`.trim();
}

/** What base items ask for in a view: its elements by the sort keys of their edges. */
export interface WantedShop extends Omit<ExpectedView, 'elements'> {
  elements: Map<string, string>;
}

export function expectedView(table: WrittenTable, features: Features, source: string): WantedShop {
  const shown = source.startsWith('SHOP') ? 'title' : 'name';
  const node = table.current({ source, target: source });
  const attributes = node && (node[shown] === undefined ? {} : { [shown]: node[shown] });
  const elements = new Map<string, string>();
  const copies = new Map<string, Item>();
  for (const edge of table.itemsOf(source)) {
    const { target } = table.keyOf(edge);
    if (!target.startsWith('LIKES-')) continue;
    elements.set(target, edge['role'] === undefined ? target : `${target}|role=${textOf(edge['role'])}`);
    const user = target.slice('LIKES-'.length);
    const parent = features.copies ? table.current({ source: user, target: user }) : undefined;
    if (parent !== undefined) copies.set(target, parent['name'] === undefined ? {} : { name: parent['name'] });
  }
  return { attributes, elements, copies };
}

/** What an index item holds; undefined: nothing. */
export function expectedIndexItem(
  table: WrittenTable,
  features: Features,
  source: string,
  edge: string,
): Item | undefined {
  const item = table.current({ source, target: edge });
  if (item === undefined) return undefined;
  if (edge.startsWith('LIKES-')) {
    const role = item['role'] === undefined ? {} : orderOf(edge, `${textOf(item['role'])}\u0000${source}`);
    const counted: Item = features.counts ? { counted: { S: 'LIKES' } } : {};
    const fields = { ...role, ...counted };
    return Object.keys(fields).length === 0 ? undefined : fields;
  }
  if (!features.joins) return undefined;
  const title = table.current({ source, target: source })?.['title'];
  return title === undefined ? undefined : orderOf(edge, `${textOf(title)}\u0000${source}`);
}

function orderOf(edge: string, sortKey: string): Item {
  return { gsi0pk: { S: edge }, gsi0sk: { S: sortKey } };
}

/** Which edge a reverse item is of. */
export function edgeOfReverse({ source, target }: ItemKey): ItemKey {
  return { source: target.slice('~rev/LIKES-'.length), target: `LIKES-${source}` };
}

/** The number of a shop's live counted items. */
export function liveCount(table: WrittenTable, source: string): number {
  return table
    .itemsOf(source)
    .filter((item) => table.keyOf(item).target.startsWith('~ix/LIKES-') && textOf(item['counted']) === 'LIKES').length;
}

export function evictedOf(view: Item | undefined): boolean {
  return setOf(view?.['evicted']).includes('LIKES');
}

/** Everything in a table that is not what the base items ask for. */
export function wrongs(table: WrittenTable, features: Features): Wrong[] {
  const found: Wrong[] = [];
  for (const source of table.sources()) {
    const items = table.itemsOf(source);
    const targets = new Set(items.map((item) => table.keyOf(item).target));
    judgeView(found, table, features, source);
    for (const target of [...targets]) {
      if (target.startsWith('LIKES-') || target.startsWith('SELLS-')) {
        targets.add(`~ix/${target}`);
        if (target.startsWith('LIKES-') && features.copies) {
          const user = target.slice('LIKES-'.length);
          judgeReverse(found, table, { source: user, target: `~rev/LIKES-${source}` });
        }
      }
    }
    for (const target of targets) {
      if (target.startsWith('~ix/')) judgeIndexItem(found, table, features, { source, target });
      // One whose edge is there was judged with the edge.
      const key = { source, target };
      if (target.startsWith('~rev/') && table.current(edgeOfReverse(key)) === undefined)
        judgeReverse(found, table, key);
    }
    if (features.counts && source.startsWith('SHOP')) judgeCount(found, table, source);
  }
  return found;
}

function judgeView(found: Wrong[], table: WrittenTable, features: Features, source: string): void {
  const key = { source, target: '~view' };
  const { elements, ...expected } = expectedView(table, features, source);
  const item = keysOf(key);
  const parts = viewDifferences(
    table.current(key),
    { ...expected, elements: elements.values() },
    (one) => one.split('|')[0]!,
  );
  // An old element and a new one of an edge are one part.
  for (const { kind, edge } of new Map(parts.map((part) => [`${part.kind} ${part.edge}`, part])).values()) {
    const touchedBy = [item, ...basesOfPart(kind, source, edge)];
    found.push({ name: nameOfPart(key, kind, edge), item, touchedBy, text: `${kind} ${edge}` });
  }
}

function judgeIndexItem(found: Wrong[], table: WrittenTable, features: Features, key: ItemKey): void {
  const { source, target } = key;
  const edge = target.slice('~ix/'.length);
  const expected = expectedIndexItem(table, features, source, edge) ?? {};
  const stored = contentOf(table.current(key));
  if (sameItem(stored, expected)) return;
  const item = keysOf(key);
  const touchedBy = [item, `${source} ${edge}`, ...(edge.startsWith('SELLS-') ? [`${source} ${source}`] : [])];
  found.push({
    ...{ name: nameOfPart(key, 'fields'), item, touchedBy },
    text: `${JSON.stringify(stored)} instead of ${JSON.stringify(expected)}`,
  });
}

function judgeReverse(found: Wrong[], table: WrittenTable, key: ItemKey): void {
  const edge = edgeOfReverse(key);
  const expected: Item = table.current(edge) === undefined ? {} : { child: { S: edge.source } };
  const stored = contentOf(table.current(key));
  if (sameItem(stored, expected)) return;
  const item = keysOf(key);
  found.push({
    ...{ name: nameOfPart(key, 'fields'), item, touchedBy: [item, keysOf(edge)] },
    text: `${JSON.stringify(stored)} instead of ${JSON.stringify(expected)}`,
  });
}

function judgeCount(found: Wrong[], table: WrittenTable, source: string): void {
  const key = { source, target: '~degree/LIKES' };
  const stored = table.current(key)?.['count'];
  const number = stored !== undefined && 'N' in stored ? Number(stored.N) : 0;
  const live = liveCount(table, source);
  if (number === live) return;
  const item = keysOf(key);
  found.push({
    ...{ name: nameOfPart(key, 'count'), item, touchedBy: [item, `${source} ~ix/LIKES-*`] },
    text: `a count of ${number} instead of ${live}`,
  });
}
