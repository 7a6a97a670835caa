import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { node } from '../../src/core/model/schema.ts';
import { mirrorHandler } from '../../src/deployment/lambda/mirror-handler.ts';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { checkHandlers, checkSources } from '../../src/deployment/stack/project/service.ts';
import { createSources } from '../../src/sources/create-sources.ts';
import { mappedNode } from '../../src/sources/items.ts';
import { defineSource, sourceTable } from '../../src/sources/source.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { guardedTable, stopProxies } from '../support/stack/guarded-table.ts';
import { parametersOf, testStack } from '../support/stack/parameters.ts';
import { tableArn } from '../support/stack/policy-proxy.ts';
import { type PolicyStatement, type TemplateResource, template } from '../support/stack/template.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** The way from a table of others, which a stack has where its parameter `sourceStreamArns` names the table's stream. */

const model = await loadModel('edgeloom.config.ts');
const APP = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app-table';
const THEIRS = 'arn:aws:dynamodb:eu-central-1:210987654321:table/orders';
const MIRRORED = { sourceStreamArns: `${APP}/stream/2026-01-01T00:00:00.000` };
const withMirror = testStack(model, MIRRORED).Resources as Record<string, TemplateResource>;

beforeEach(() => {
  // Metrics go to stdout as they do in Lambda.
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stopProxies();
});

describe('a stack with a source', () => {
  it('reads the stream whole, retries the rest of a batch, and tells a queue of what it gives up', () => {
    expect(withMirror['MirrorEventSourceMapping1']!.Properties).toMatchObject({
      EventSourceArn: MIRRORED.sourceStreamArns,
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['MirrorDeadLetterQueue', 'Arn'] } } },
    });
    expect(withMirror['MirrorEventSourceMapping1']!.Properties).not.toHaveProperty('FilterCriteria');
    const { Environment } = withMirror['MirrorLambdaFunction']!.Properties;
    expect(Environment.Variables).toMatchObject({ EDGELOOM_SOURCE_STREAM_ARNS: MIRRORED.sourceStreamArns });
  });

  it('has alarms of ten metrics at most, however many sources there are', () => {
    const streams = Array.from({ length: 11 }, (_, i) => MIRRORED.sourceStreamArns.replace('app', `app${i}`));
    const many = Object.entries(testStack(model, { sourceStreamArns: streams.join(',') }).Resources).filter(
      ([, { Type }]) => Type === 'AWS::CloudWatch::Alarm',
    );
    const watched = many.map(([id, { Properties }]): [string, number] => [
      id,
      (Properties['Metrics'] ?? []).filter((one: never) => 'MetricStat' in one).length,
    ]);
    expect(watched.filter(([, count]) => count > 10)).toEqual([]);
    expect(watched.filter(([id]) => id.startsWith('MirrorGaveUp'))).toEqual([
      ['MirrorGaveUpAlarm', 10],
      ['MirrorGaveUp2Alarm', 2],
    ]);
  });

  it('lets nothing write the source: not a function, not a person', () => {
    const everything = testStack(model, { ...MIRRORED, observe: true, feedEventBus: 'default', checkRepair: true });
    const { Resources } = template(everything);
    const reads = [
      'DescribeStream',
      'DescribeTable',
      'GetItem',
      'GetRecords',
      'GetShardIterator',
      'ListStreams',
      'Scan',
    ];
    const found = new Map<string, string[]>();
    for (const [id, { Type, Properties }] of Object.entries(Resources)) {
      if (!/^AWS::IAM::(Role|ManagedPolicy)$/.test(Type)) continue;
      const documents = [Properties['PolicyDocument'], ...(Properties['Policies'] ?? []).map(documentOf)];
      const statements = documents.flatMap((document) => (document?.Statement ?? []) as PolicyStatement[]);
      for (const { Effect, Action, Resource } of statements) {
        const actions = [Action].flat().filter((action) => action.startsWith('dynamodb:'));
        const isOfSource = [Resource].flat().some((one) => one === '*' || one.startsWith(APP));
        if (Effect === 'Allow' && isOfSource) found.set(id, [...(found.get(id) ?? []), ...actions]);
      }
    }
    for (const actions of found.values()) {
      expect(actions.filter((action) => !reads.includes(action.replace('dynamodb:', '')))).toEqual([]);
    }
    // A walk over the whole source is a person's.
    const scanning = [...found].filter(([, actions]) => actions.includes('dynamodb:Scan')).map(([id]) => id);
    expect(scanning).toEqual(['OperatorPolicy']);
    expect([...found.keys()].filter((id) => found.get(id)!.length > 0).sort()).toEqual([
      'MirrorRole',
      'OperatorPolicy',
    ]);
  });

  it('takes one stream of each table, none of its own, and all of its region', () => {
    const refused =
      (sourceStreamArns: string): (() => unknown) =>
      () =>
        testStack(model, { sourceStreamArns });
    expect(refused('app-table')).toThrow('should be the ARNs of streams');
    expect(refused(`${APP}/stream/1,${APP}/stream/2`)).toThrow('should be one stream of each table');
    expect(refused(`${APP}/stream/1,${THEIRS.replace('eu-central-1', 'us-east-1')}/stream/2`)).toThrow('us-east-1');
    // A source item is known by the name of its table alone.
    const elsewhere = APP.replace(/:\d{12}:/, ':999999999999:');
    expect(refused(`${APP}/stream/1,${elsewhere}/stream/2`)).toThrow('tables of different names');
    for (const arn of [APP, elsewhere]) {
      const named = arn.replace('app-table', `own-test-${model.table.name}`);
      expect(refused(`${named}/stream/1`)).toThrow('a table with the name of the own table');
    }
    const parameters = parametersOf(MIRRORED);
    const [app, other] = ['app-table', 'other'].map((name) => sourceTable(name, { map: () => [] }));
    const rows = defineSource('rows', { read: () => undefined, map: () => [] });
    // Only a table has a stream that a stack could read.
    const namesake = defineSource('app-table', { read: () => undefined, map: () => [] });
    for (const sources of [[other!], [namesake]])
      expect(() => checkSources(sources, parameters)).toThrow('app-table is not a source table');
    expect(checkSources([app!, other!, rows], parameters)).toEqual([
      'The stack does not mirror the source other: set sourceStreamArns.',
    ]);
  });

  it('needs a handler, and says what it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-mirror-'));
    try {
      await mkdir(join(folder, 'handlers'));
      for (const name of ['stream', 'check', 'redrive']) await writeFile(join(folder, 'handlers', `${name}.ts`), '');
      const check = (): void => checkHandlers(join(folder, 'edgeloom.config.ts'), parametersOf(MIRRORED));
      expect(check).toThrow(/function mirror/);
      await writeFile(join(folder, 'handlers', 'mirror.ts'), '');
      expect(check).not.toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the mirror function', () => {
  it('works with exactly the rights of its role, and an operator with theirs', async () => {
    const app = await testTable(
      defineGraph({ table: { name: uniqueTableName(), sortKey: 'sk' }, nodes: { X: node({ view: 'ALL' }) } }),
    );
    const name = app.graph.table.name;
    const ours = await guardedTable((table) =>
      defineGraph({ table, nodes: { ISSUE: node({ view: 'ALL' }) }, edges: {} }),
    );
    const declared = sourceTable(name, {
      keys: { partitionKey: 'source', sortKey: 'sk' },
      map: ({ sk, is, bad }) => {
        if (bad) throw new Error('bad');
        return [mappedNode(`ISSUE-${is ?? sk}`, { of: sk })];
      },
    });
    const sourceStreamArns = `${tableArn(name)}/stream/2026-01-01T00:00:00.000`;
    const role = await ours.as('MirrorRole', { sourceStreamArns });
    const handler = mirrorHandler(ours.graph, {
      ...{ sources: [declared], streamArns: [app.streamArn], store: role.store },
      logger: pino({ level: 'silent' }),
      openSource: () => new DynamoDBSourceStore(role.client, name),
    });
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
    let read = 0;
    const follow = async (): Promise<void> => {
      const all = await app.rawRecords();
      const Records = all.slice(read).map((record) => ({ ...record, eventSourceARN: app.streamArn }));
      read = all.length;
      const answer = await handler({ Records }, context);
      expect(role.denied).toEqual([]);
      expect(answer).toEqual({ batchItemFailures: [] });
      await handler({ watch: true }, context);
    };
    const put = (sk: string, more = {}) => app.store.put({ source: { S: 'a' }, sk: { S: sk }, ...more });
    await put('1');
    await put('2', { is: { S: '1' } });
    await put('3', { bad: { BOOL: true } });
    await follow();
    await put('2');
    await put('3');
    await follow();
    role.expectExact();
    const person = await ours.as('OperatorPolicy', { sourceStreamArns });
    const sourceStore = new DynamoDBSourceStore(person.client, name);
    const sources = createSources(ours.graph, {
      sources: [declared],
      store: person.store,
      openTable: () => sourceStore,
      wait: async () => {},
    });
    expect(await sources.sync(name)).toMatchObject({ items: 3, refused: [] });
    expect(await sources.sync(name, { dryRun: true })).toMatchObject({ differences: [], conflicts: [] });
    expect(person.denied).toEqual([]);
  });
});

function documentOf({ PolicyDocument }: { PolicyDocument: object }): { Statement: PolicyStatement[] } {
  return PolicyDocument as { Statement: PolicyStatement[] };
}
