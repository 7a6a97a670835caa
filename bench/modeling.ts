import { complexAttribute } from '../examples/one-to-many/complex-attribute.ts';
import { duplicatedData } from '../examples/one-to-many/duplicated-data.ts';
import type { Example } from '../examples/one-to-many/example.ts';
import { hierarchy } from '../examples/one-to-many/hierarchy.ts';
import { itemCollection } from '../examples/one-to-many/item-collection.ts';
import { secondaryIndex } from '../examples/one-to-many/secondary-index.ts';
import { createReader, type Reader } from '../src/client/read/reader.ts';
import { MeteredStore } from '../src/store/metered.ts';
import type { Item } from './support/images.ts';
import { projecting } from './support/projecting.ts';
import { type Figure, figure, type Report } from './support/report.ts';
import { keyOf, withFreshTable } from './support/table.ts';

/** Compares the capacity of one-to-many strategies with 20 children. */

const CHILDREN = 20;

interface Strategy {
  name: string;
  example: Example;
  before: readonly Item[];
  writes: { operation: string; item: Item }[];
  reads: { operation: string; read: (reader: Reader) => Promise<unknown> }[];
}

const text = (value: string): Item[string] => ({ S: value });
const item = (source: string, target: string, attributes: Item = {}): Item => ({
  ...{ source: text(source), target: text(target) },
  ...attributes,
});
const children = <T>(make: (i: number) => T): T[] => Array.from({ length: CHILDREN }, (_, i) => make(i));
const address = (i: number): Item[string] => ({ M: { city: text(`City ${i}`), street: text(`Main street ${i}`) } });

const STRATEGIES: readonly Strategy[] = [
  {
    name: 'complex attribute',
    example: complexAttribute,
    before: [item('CUSTOMER-1', 'CUSTOMER-1', { addresses: { L: children(address).slice(1) } })],
    writes: [
      {
        operation: 'add a child (the parent is written whole)',
        item: item('CUSTOMER-1', 'CUSTOMER-1', { addresses: { L: children(address) } }),
      },
    ],
    reads: [{ operation: 'parent with its children', read: (reader) => reader.getViews(['CUSTOMER-1']) }],
  },
  {
    name: 'duplicated data',
    example: duplicatedData,
    before: [
      item('AUTHOR-1', 'AUTHOR-1', { name: text('Steven King'), birthYear: { N: '1947' } }),
      ...children((i) => item(`BOOK-${i}`, 'WRITTEN_BY-AUTHOR-1')),
    ],
    writes: [
      {
        operation: `change the parent of ${CHILDREN}`,
        item: item('AUTHOR-1', 'AUTHOR-1', { name: text('Stephen King'), birthYear: { N: '1947' } }),
      },
      { operation: 'add a child', item: item('BOOK-new', 'WRITTEN_BY-AUTHOR-1') },
    ],
    reads: [{ operation: 'child with its parent', read: (reader) => reader.getViews(['BOOK-7']) }],
  },
  {
    name: 'item collection',
    example: itemCollection,
    before: [item('ORG-1', 'ORG-1', { name: text('Acme') }), ...children((i) => item('ORG-1', `MEMBER-USER-${i}`))],
    writes: [{ operation: 'add a child', item: item('ORG-1', 'MEMBER-USER-new', { since: text('2026-01-01') }) }],
    reads: [
      { operation: 'children of one type', read: (reader) => reader.edges('ORG-1', 'MEMBER') },
      { operation: 'is it a child', read: (reader) => reader.has('ORG-1', 'MEMBER', 'USER-7') },
    ],
  },
  {
    name: 'secondary index',
    example: secondaryIndex,
    before: [
      item('USER-1', 'USER-1', { name: text('Ada') }),
      ...children((i) => item(`TICKET-${i}`, 'FILED_BY-USER-1', filed(i))),
    ],
    writes: [{ operation: 'add a child', item: item('TICKET-new', 'FILED_BY-USER-1', filed(21)) }],
    reads: [
      {
        operation: 'parent and the 10 newest children',
        read: (reader) => reader.inbound('USER-1', 'FILED_BY', { reverse: true, includeTarget: true, limit: 10 }),
      },
    ],
  },
  {
    name: 'composite sort key',
    example: hierarchy,
    before: children((i) => item(`STORE-${i}`, `STORE-${i}`, located(`9511${i % 5}`))),
    writes: [{ operation: 'add a child', item: item('STORE-new', 'STORE-new', located('95113')) }],
    reads: [
      {
        operation: 'children on any level',
        read: (reader) => reader.search('STORE.location').path(['CA', 'San Jose'], { partition: 'US' }),
      },
    ],
  },
];

function located(zip: string): Item {
  return { country: text('US'), state: text('CA'), city: text('San Jose'), zip: text(zip) };
}

function filed(i: number): Item {
  return {
    title: text(`Ticket ${i}`),
    opened: text(`2026-01-${String(i + 1).padStart(2, '0')}`),
    hours: { N: `${i}` },
  };
}

export async function modeling(): Promise<Report[]> {
  const figures: Figure[] = [];
  for (const strategy of STRATEGIES) figures.push(...(await measured(strategy)));
  return [
    {
      name: 'modeling',
      title: `one-to-many strategies with ${CHILDREN} children: capacity units of an operation, the projection's included`,
      figures,
    },
  ];
}

async function measured({ name, example: { graph }, before, writes, reads }: Strategy): Promise<Figure[]> {
  return await withFreshTable(graph, [], async ({ store }) => {
    let position = 0;
    const write = async (newImage: Item): Promise<number> => {
      const metered = new MeteredStore(store);
      const key = keyOf(newImage);
      const { item: oldImage } = await store.get(key, { consistent: true });
      await metered.put(newImage);
      const sequenceNumber = String(++position);
      await projecting(graph, { store: metered })([{ ...key, oldImage, newImage, stream: 'bench', sequenceNumber }]);
      return metered.wcu;
    };
    for (const one of before) await write(one);
    const figures: Figure[] = [];
    for (const { operation, item: one } of writes) {
      figures.push(figure(`${name}: ${operation}`, await write(one), 'WCU'));
    }
    for (const { operation, read } of reads) {
      const metered = new MeteredStore(store);
      await read(createReader(graph, { store: metered }) as Reader);
      figures.push(figure(`${name}: ${operation}`, metered.rcu, 'RCU'));
    }
    return figures;
  });
}
