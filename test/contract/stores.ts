import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { startEngine } from '../../packages/local/engine/engine.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { deferredCalls } from '../../src/store/client/deferred.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';

/** What the engine behind the endpoint is; an endpoint that was given from outside may be any. */
export type Engine = 'dynoxide' | 'dynamodb-local' | 'memory-engine' | 'unknown';

/** The engine of this run. */
export const ENGINE: Engine =
  process.env['EDGELOOM_TEST_ENDPOINT'] !== undefined
    ? 'unknown'
    : process.env['EDGELOOM_TEST_ENGINE'] === 'dynamodb-local'
      ? 'dynamodb-local'
      : process.env['EDGELOOM_TEST_ENGINE'] === 'memory'
        ? 'memory-engine'
        : 'dynoxide';

/**
 * Where an engine is known to answer otherwise than AWS does, or than the other engine. The engine in memory is not bent to
 * these: the suite compares the rest.
 */
const DEVIATIONS = {
  /** BatchGetItem and Query bill nothing where nothing is found; AWS bills the smallest read. */
  'nothing-read-is-free': ['dynamodb-local'],
  /** A Query whose limit is reached at the end of its range gives no last key; AWS gives one without looking further. */
  'limit-at-range-end-has-no-last-key': ['dynamodb-local'],
  /** A delete of an absent item costs two units within a batch; on its own, and on AWS, one. */
  'batch-delete-of-nothing-costs-two': ['dynamodb-local'],
  /** A statement with an empty set fails its condition; AWS refuses the values first. */
  'statements-check-values-last': ['dynoxide', 'dynamodb-local'],
  /** A transaction bills two of its items, however many it writes; AWS bills each of them twice. */
  'transaction-bills-two-items': ['dynamodb-local'],
  /** A batch of statements does not tell what it consumed. */
  'statements-tell-no-units': ['dynamodb-local'],
  /** An update may set a key attribute of an index to another type than the index has. */
  'update-index-key-type-unchecked': ['dynamodb-local'],
  /** A page of a Query holds the item that goes beyond 1 MB as well. */
  'page-exceeds-1-mb': ['dynamodb-local'],
  /** Keys of an index are taken at any length. */
  'index-keys-of-any-length': ['dynoxide'],
  /** Attributes may have an empty name. */
  'empty-attribute-names': ['dynoxide'],
  /** Bounds of a Query that are empty, too long, or of another type, and empty partitions find nothing instead of being refused. */
  'query-bounds-unchecked': ['dynoxide'],
  /** A start key outside of the Query's partition or range is taken. */
  'start-key-unchecked': ['dynoxide'],
} as const satisfies Record<string, readonly Engine[]>;

/** A known difference of an engine. */
export type Deviation = keyof typeof DEVIATIONS;

/** Whether the engine of this run is known to differ in this. */
export function engineDeviates(deviation: Deviation): boolean {
  return ENGINE === 'unknown' || (DEVIATIONS[deviation] as readonly Engine[]).includes(ENGINE);
}

/** One store that the suite runs on. */
export interface Subject {
  /** The engine's name. */
  name: string;
  /** Opens the store on a new table of the model. */
  open: (graph: CompiledModel) => Promise<Store & ScanSource>;
  /** Whether this store is known to differ in this. */
  deviates: (deviation: Deviation) => boolean;
}

/** The engine; its tables have no stream, since some engines slow down as one grows. */
function engineBy(name: string, way: 'lean' | 'sdk' | 'deferred'): Subject {
  return {
    name,
    open: async (graph) => {
      const client = createClient({ endpoint: testEndpoint(), lean: way === 'lean' });
      await client.send(
        new CreateTableCommand({ ...tableDefinition(graph), StreamSpecification: { StreamEnabled: false } }),
      );
      const calls = way === 'deferred' ? deferredCalls({ endpoint: testEndpoint() }) : client;
      return new DynamoDBStore(calls, graph.table);
    },
    deviates: engineDeviates,
  };
}

const engine = engineBy(ENGINE, 'lean');

let memoryEndpoint: Promise<string> | undefined;

/** An engine in memory that serves the files of this process, and ends with it. */
export function memoryEngine(): Promise<string> {
  memoryEndpoint ??= startEngine({ engine: 'memory' }).then(({ endpoint }) => endpoint);
  return memoryEndpoint;
}

/** The engine in memory: it differs from AWS in nothing that the suite knows. */
const inMemory: Subject = {
  name: 'the engine in memory',
  open: async (graph) => {
    const client = createClient({ endpoint: await memoryEngine() });
    await client.send(new CreateTableCommand(tableDefinition(graph)));
    return new DynamoDBStore(client, graph.table);
  },
  deviates: () => false,
};

/** Every store of this run. */
export const SUBJECTS: readonly Subject[] = [
  inMemory,
  engine,
  engineBy(`${ENGINE} through the SDK alone`, 'sdk'),
  engineBy(`${ENGINE} with the SDK loaded on demand`, 'deferred'),
];

/** A model that uses both indexes, with a table of its own. */
export function contractGraph(): CompiledModel {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since', gsi1: 'rank' } } }) },
  });
}

/** A model of native orders by text and number, and of a native search. */
export function nativeGraph(): CompiledModel {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ search: { mail: { native: true, project: ['name'] } } }) },
    edges: {
      KNOWS: edge({
        from: 'USER',
        to: 'USER',
        inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') } },
      }),
    },
  });
}

/** An item with the default names of the key attributes. */
export function item(source: string, target: string, attributes: Item = {}): Item {
  return { source: { S: source }, target: { S: target }, ...attributes };
}

/** A string value of so many bytes. */
export function textOf(bytes: number): { S: string } {
  return { S: 'x'.repeat(bytes) };
}

let counter = 0;

/** A partition that no other test of this file uses. */
export function freshPartition(): string {
  counter += 1;
  return `USER-${counter}`;
}
