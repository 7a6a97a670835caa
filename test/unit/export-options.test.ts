import { describe, expect, it } from 'vitest';
import * as local from '../../packages/local/index.ts';
import * as admin from '../../src/admin.ts';
import * as lambda from '../../src/deployment/lambda/index.ts';
import * as stack from '../../src/deployment/stack/index.ts';
import * as telemetry from '../../src/deployment/telemetry/index.ts';
import * as feed from '../../src/feed.ts';
import * as library from '../../src/index.ts';
import * as types from '../../src/types.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';

/**
 * Every function of every entry point either refuses an option that it does not have, by its name, or takes no options. A new export
 * has to be named here.
 */

const { defineGraph, node, edge, part } = library;
const graph = defineGraph({ table: 'records', nodes: { USER: node() }, edges: {} });
const store = new MemoryStore(graph.table);

const entries = [library, admin, feed, lambda, local, stack, telemetry, types];
/** JavaScript that no type checker has seen. */
const loose = (entry: object) => entry as Record<string, (...parameters: unknown[]) => unknown>;
const all = loose(Object.assign({}, ...entries));
const bad = { notAnOption: 1 };
const run = { store, ...bad };

const calls = (parameters: readonly unknown[], names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, () => all[name]!(...parameters)]));

const CALLS: Record<string, () => unknown> = {
  ...calls(
    [graph, run],
    [
      ...['check', 'checkRunHandler', 'createFeedModels', 'createLowWatermark', 'createProjector'],
      ...['createReader', 'createSourceWorker', 'createSources', 'createWorker', 'createWriter', 'deleteEnded'],
      ...['explain', 'exportSubject', 'failedBatchEraser', 'importFile', 'isProjectedIn', 'migrate'],
      ...['mirrorHandler', 'observeHandler', 'redrive', 'redriveHandler', 'status', 'streamHandler'],
      ...['streamPosition'],
    ],
  ),
  ...calls(
    [graph, bad],
    [
      ...['createTable', 'deleteTable', 'describeTable', 'planTableUpdate', 'serverTime', 'stackTemplate'],
      ...['startLocal', 'tableIdentity', 'updateTable'],
    ],
  ),
  ...calls(
    [bad],
    [
      ...['createClient', 'createSession', 'createStreamsClient', 'openTelemetry', 'readParameters'],
      ...['serverlessValues', 'startEngine', 'watchHandler'],
    ],
  ),
  defineSource: () => all['defineSource']!('app', { read: () => undefined, map: () => [], ...bad }),
  defineGraph: () => all['defineGraph']!({ table: 'records', nodes: { USER: node() }, edges: {}, ...bad }),
  edge: () =>
    defineGraph({ table: 'a', nodes: { USER: node() }, edges: { IS: edge({ from: 'USER', to: 'USER', ...bad }) } }),
  eraseSubject: () => all['eraseSubject']!(graph, { ...run, id: 'USER-1' }),
  newId: () => all['newId']!('USER', bad),
  node: () => defineGraph({ table: 'a', nodes: { USER: node(bad as never) }, edges: {} }),
  part: () => defineGraph({ table: 'a', nodes: { USER: node({ parts: { STATE: part(bad as never) } }) }, edges: {} }),
  scanNodes: () => all['scanNodes']!(graph, { store, type: 'USER', ...bad }),
  fromElectroDB: () => all['fromElectroDB']!([], bad),
  fromOneTable: () => all['fromOneTable']!({ indexes: { primary: { hash: 'pk' } }, models: {} }, [], bad),
  fromToolbox: () => all['fromToolbox']!([], bad),
  sourceTable: () => all['sourceTable']!('app', { map: () => [], ...bad }),
  startFeed: () => all['startFeed']!(graph, { client: {}, ...bad }),
};

/** Functions and classes that take no options: keys, models, clients, records, files and values alone. */
const WITHOUT_OPTIONS = new Set([
  ...['answerNodeRequest', 'applyWatchEvent', 'changesOf', 'parseCursor', 'hashedEdgeKey'],
  'tableDefinition',
  ...['ConditionFailedError', 'EdgeloomError', 'InvalidAttributesError', 'InvalidBatchError', 'ModelError'],
  ...['StoreError', 'StreamError', 'TransactionFailedError', 'UnfinishedWriteError'],
  ...['DynamoDBStore', 'DynamoDBStreamSource', 'ExactNumber'],
  ...['date', 'derive', 'number', 'source', 'rank', 'sum'],
  ...['deployedCheck', 'deployedFeed', 'deployedMirror', 'deployedObserve', 'deployedRedrive', 'deployedStream'],
  ...['parameterWarnings', 'fileCheckpoint', 'memoryCheckpoint'],
  ...['checkBaseItem', 'toBaseItem', 'codePointProduct', 'fnv1a', 'shardOf', 'notedUpToMs'],
  ...['decodeRecords', 'DynamoDBSourceStore', 'edgeItem', 'mapped', 'mappedEdge', 'mappedNode', 'nodeItem'],
  // Its constructor is that of `createSession`.
  'Session',
]);

/** Begins what gives its answers one by one. */
const called = (answer: unknown) =>
  Symbol.asyncIterator in Object(answer) ? (answer as AsyncGenerator).next() : answer;

const exported = entries.flatMap((entry) =>
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
    ['project', () => admin.createProjector(graph, { store }).project([], bad as never)],
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
