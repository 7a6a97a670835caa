import type { Store } from '../../src/core/store-port.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { derivedItems } from './derived.ts';
import type { Item } from './images.ts';
import { copyModel } from './models.ts';

/** Damage to items that other partitions decide, in the order of `corruptCopy`. */
export const COPY_KINDS = [
  'copy missing',
  'copy stale',
  'copy without its edge',
  'copy of a node that is gone',
  'reverse item missing',
  'reverse item without its edge',
  'reverse tombstone resurrected',
  'fan-out stuck',
] as const;

const GONE = COPY_KINDS.indexOf('copy of a node that is gone');

export function projectedBooks(books: number): Item[] {
  const bases: Item[] = [];
  for (let b = 0; b < books; b++) {
    const book = `BOOK-${b}`;
    bases.push({ source: { S: book }, target: { S: book }, title: { S: `Book ${b}` } });
    bases.push(authorImage(`AUTHOR-${b}`));
    bases.push(wroteImage(book, `AUTHOR-${b}`), wroteImage(book, `AUTHOR-${(b + 1) % books}`));
    if (b % COPY_KINDS.length === GONE) bases.push(wroteImage(book, `AUTHOR-GONE${b}`));
  }
  return [...bases, ...derivedItems(copyModel, bases)];
}

export function authorImage(id: string): Item {
  return { source: { S: id }, target: { S: id }, name: { S: `The name of ${id}` }, birthYear: { N: '1900' } };
}

export function wroteImage(book: string, author: string): Item {
  return { source: { S: book }, target: { S: `WROTE-${author}` }, since: { S: '2026-01-01' } };
}

/** Rotates through the kinds of damage. Returns `source target`. */
export async function corruptCopy(store: Pick<Store, 'get' | 'put' | 'delete'>, number: number): Promise<string> {
  const book = `BOOK-${number}`;
  const author = `AUTHOR-${number}`;
  const ownEdge = `WROTE-${author}`;
  const copied = async (change: (copies: Item) => Item): Promise<string> => {
    const { item = {} } = await store.get({ source: book, target: '~view' }, { consistent: true });
    const copies = item['copies'] !== undefined && 'M' in item['copies'] ? item['copies'].M : {};
    await store.put({ ...item, copies: { M: change(copies) } });
    return `${book} ~view`;
  };
  const put = async (target: string, fields: Item): Promise<string> => {
    await store.put({ source: { S: author }, target: { S: target }, r: { N: '7' }, ...fields });
    return `${author} ${target}`;
  };
  const another: Item[string] = { M: { name: { S: 'Another' } } };
  switch (COPY_KINDS[number % COPY_KINDS.length]!) {
    case 'copy missing':
      return copied(({ [ownEdge]: _, ...others }) => others);
    case 'copy stale':
      return copied((copies) => ({ ...copies, [ownEdge]: another }));
    case 'copy without its edge':
      return copied((copies) => ({ ...copies, 'WROTE-AUTHOR-X': another }));
    case 'copy of a node that is gone':
      return copied((copies) => ({ ...copies, [`WROTE-AUTHOR-GONE${number}`]: another }));
    case 'reverse item missing':
      await store.delete({ source: author, target: `~rev/WROTE-${book}` });
      return `${author} ~rev/WROTE-${book}`;
    case 'reverse item without its edge':
      return put('~rev/WROTE-BOOK-X', { child: { S: 'BOOK-X' } });
    case 'reverse tombstone resurrected':
      return put('~rev/WROTE-BOOK-Y', { child: { S: 'BOOK-Y' }, model: { S: copyModel.fingerprint } });
    case 'fan-out stuck':
      return put('~more/WROTE', { after: { S: `~rev/WROTE-${book}~` } });
  }
}

/** Runs restarted fan-outs, as their stream records would. */
export async function driveFanOuts(store: Store, books: number): Promise<void> {
  const projector = createProjector(copyModel, { store });
  for (let number = COPY_KINDS.length - 1; number < books; number += COPY_KINDS.length) {
    const key = { source: `AUTHOR-${number}`, target: '~more/WROTE' };
    const { item } = await store.get(key, { consistent: true });
    if (item?.['after'] === undefined) continue;
    const stream = '2026-01-01T00:00:00.000';
    await projector.project([{ ...key, newImage: item, stream, sequenceNumber: String(number) }]);
  }
}
