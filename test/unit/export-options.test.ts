import { describe, expect, it } from 'vitest';
import * as local from '../../packages/local/index.ts';
import * as lambda from '../../src/deployment/lambda/index.ts';
import * as stack from '../../src/deployment/stack/index.ts';
import * as telemetry from '../../src/deployment/telemetry/index.ts';
import * as library from '../../src/index.ts';
import * as tools from '../../src/tools.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

/**
 * Every function of every entry point either refuses an option that it does not have, by its name, or takes no options. A new export
 * has to be named here.
 */

const { defineGraph, node, edge, part } = library;
const graph = defineGraph({ table: 'records', nodes: { USER: node() }, edges: {} });
const store = new MemoryStore(graph.table);

/** JavaScript that no type checker has seen. */
const loose = (entry: object) => entry as Record<string, (...parameters: unknown[]) => unknown>;
const [l, f, s, t, o, x] = [library, lambda, stack, telemetry, local, tools].map(loose) as [
  ReturnType<typeof loose>,
  ...ReturnType<typeof loose>[],
];
const bad = { notAnOption: 1 };
const run = { store, ...bad };

const CALLS: Record<string, () => unknown> = {
  // edgeloom
  check: () => l['check']!(graph, run),
  createClient: () => l['createClient']!(bad),
  createFeedModels: () => l['createFeedModels']!(graph, { store, ...bad }),
  createMirror: () => l['createMirror']!(graph, { store, ...bad }),
  createLowWatermark: () => l['createLowWatermark']!(graph, { store, ...bad }),
  createProjector: () => l['createProjector']!(graph, { store, ...bad }),
  createReader: () => l['createReader']!(graph, { store, ...bad }),
  createSession: () => l['createSession']!(bad),
  createStreamsClient: () => l['createStreamsClient']!(bad),
  createWriter: () => l['createWriter']!(graph, { store, ...bad }),
  defineGraph: () => l['defineGraph']!({ table: 'records', nodes: { USER: node() }, edges: {}, ...bad }),
  edge: () =>
    defineGraph({ table: 'a', nodes: { USER: node() }, edges: { IS: edge({ from: 'USER', to: 'USER', ...bad }) } }),
  eraseSubject: () => x!['eraseSubject']!(graph, { ...run, id: 'USER-1' }),
  explain: () => l['explain']!(graph, run),
  importFile: () => l['importFile']!(graph, run),
  migrate: () => l['migrate']!(graph, run),
  newId: () => l['newId']!('USER', bad),
  node: () => defineGraph({ table: 'a', nodes: { USER: node(bad as never) }, edges: {} }),
  part: () => defineGraph({ table: 'a', nodes: { USER: node({ parts: { STATE: part(bad as never) } }) }, edges: {} }),
  createTable: () => l['createTable']!(graph, bad),
  deleteTable: () => l['deleteTable']!(graph, bad),
  describeTable: () => l['describeTable']!(graph, bad),
  serverTime: () => l['serverTime']!(graph, bad),
  tableIdentity: () => l['tableIdentity']!(graph, bad),
  planTableUpdate: () => l['planTableUpdate']!(graph, bad),
  redrive: () => l['redrive']!(graph, run),
  scanNodes: () => l['scanNodes']!(graph, { store, type: 'USER', ...bad }),
  fromElectroDB: () => l['fromElectroDB']!([], bad),
  fromOneTable: () => l['fromOneTable']!({ indexes: { primary: { hash: 'pk' } }, models: {} }, [], bad),
  fromToolbox: () => l['fromToolbox']!([], bad),
  source: () => l['source']!('app', { map: () => [], ...bad }),
  startFeed: () => l['startFeed']!(graph, { client: {}, ...bad }),
  status: () => l['status']!(graph, run),
  updateTable: () => l['updateTable']!(graph, bad),
  watchHandler: () => l['watchHandler']!(bad),
  // edgeloom/lambda
  checkHandler: () => f!['checkHandler']!(graph, { store, ...bad }),
  checkRunHandler: () => f!['checkRunHandler']!(graph, { store, ...bad }),
  observeHandler: () => f!['observeHandler']!(graph, { store, ...bad }),
  redriveHandler: () => f!['redriveHandler']!(graph, { store, ...bad }),
  streamHandler: () => f!['streamHandler']!(graph, { store, ...bad }),
  // edgeloom/stack
  readParameters: () => s!['readParameters']!(bad),
  stackTemplate: () => s!['stackTemplate']!(graph, bad),
  // edgeloom/telemetry
  openTelemetry: () => t!['openTelemetry']!(bad),
  // edgeloom/local
  createEventSourceMapping: () => o!['createEventSourceMapping']!(bad),
  createSourceWorker: () => o!['createSourceWorker']!(graph, run),
  createWorker: () => o!['createWorker']!(graph, run),
  startEngine: () => o!['startEngine']!(bad),
  startFunction: () => o!['startFunction']!({ command: { file: 'node' }, ...bad }),
  startLocal: () => o!['startLocal']!(graph, bad),
  startLocalLambda: () => o!['startLocalLambda']!(graph, bad),
  // edgeloom/tools
  exportSubject: () => x!['exportSubject']!(graph, run),
  failedBatchEraser: () => x!['failedBatchEraser']!(graph, run),
  streamPosition: () => x!['streamPosition']!(graph, run),
  isProjectedIn: () => x!['isProjectedIn']!(graph, run),
  serverlessValues: () => s!['serverlessValues']!(bad),
};

/** Functions and classes that take no options: keys, models, clients, records, files and values alone. */
const WITHOUT_OPTIONS = new Set([
  ...['answerNodeRequest', 'applyWatchEvent', 'changesOf', 'parseCursor', 'hashedEdgeKey'],
  'tableDefinition',
  ...['ConditionFailedError', 'EdgeloomError', 'InvalidAttributesError', 'InvalidBatchError', 'ModelError'],
  ...['StoreError', 'StreamError', 'TransactionFailedError', 'DynamoDBStore', 'DynamoDBStreamSource', 'ExactNumber'],
  ...['attribute', 'count', 'derive', 'fromSource', 'rank', 'sum'],
  ...['deployedCheck', 'deployedFeed', 'deployedObserve', 'deployedRedrive', 'deployedStream'],
  ...['parameterWarnings', 'fileCheckpoint', 'memoryCheckpoint', 'folderDestination'],
  ...['checkBaseItem', 'toBaseItem', 'codePointProduct', 'fnv1a', 'shardOf', 'notedUpToMs'],
  ...['decodeRecords', 'DynamoDBSourceStore', 'edgeItem', 'mapped', 'nodeItem'],
  // Its constructor is that of `createSession`.
  'Session',
]);

/** Begins what gives its answers one by one. */
const called = (answer: unknown) =>
  Symbol.asyncIterator in Object(answer) ? (answer as AsyncGenerator).next() : answer;

const exported = [library, lambda, stack, telemetry, local, tools].flatMap((entry) =>
  Object.entries(entry)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name),
);

describe('options of exported functions', () => {
  it('are named here, for each function', () => {
    const named = [...Object.keys(CALLS), ...WITHOUT_OPTIONS];
    expect([...new Set(exported)].sort()).toEqual([...new Set(named)].sort());
  });

  it.each(Object.entries(CALLS))('%s refuses an option that it does not have', async (_name, call) => {
    const error: unknown = await (async () => called(call()))().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(library.EdgeloomError);
    expect((error as Error).message).toContain('notAnOption');
  });
});

describe('options of what they make', () => {
  it.each<[string, () => unknown]>([
    ['project', () => library.createProjector(graph, { store }).project([], bad as never)],
    [
      'a worker',
      () => local.createSourceWorker(graph, { source: { streamArn: 'a/stream/b' } as never, store }).run(bad as never),
    ],
    [
      'a batch',
      () =>
        library.createWriter(graph, { store }).batch((batch) => {
          loose(batch)['putNode']!('USER-1', {}, { ifAbsent: true, ...bad });
        }),
    ],
  ])('%s refuses one that it does not have', async (_name, call) => {
    await expect((async () => call())()).rejects.toThrow('notAnOption');
  });

  it('no operation of a batch takes a condition', async () => {
    const writer = library.createWriter(graph, { store });
    const operations: [string, ...unknown[]][] = [
      ['putNode', 'USER-1', {}],
      ['putPart', 'USER-1', 'STATE', {}],
      ['putEdge', 'USER-1', 'KNOWS', 'USER-2', {}],
      ['deleteNode', 'USER-1'],
      ['deletePart', 'USER-1', 'STATE'],
      ['deleteEdge', 'USER-1', 'KNOWS', 'USER-2'],
    ];
    for (const [name, ...given] of operations) {
      const run = writer.batch((batch) => void loose(batch)[name]!(...given, { ifAbsent: true }));
      await expect(run).rejects.toThrow('An operation of a batch has no option "ifAbsent"');
    }
    expect((await store.scan({ segment: 0, segments: 1 })).items).toEqual([]);
  });
});
