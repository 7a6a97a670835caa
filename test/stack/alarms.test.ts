import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { functionLogger } from '../../src/deployment/lambda/function-logger.ts';
import { emitBatch, metricsOf, metricsOfCheck } from '../../src/deployment/lambda/metrics.ts';
import { redriveHandler } from '../../src/deployment/lambda/redrive-handler.ts';
import { DOCS } from '../../src/foundation/docs.ts';
import { emptyCounts } from '../../src/trust/check/cursor.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { watchedOf } from '../support/stack/alarm-rules.ts';
import { testStack } from '../support/stack/parameters.ts';
import { template } from '../support/stack/template.ts';

/** A table that the stack does not make. */
const OF_ELSEWHERE = {
  existingTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/goals',
  existingStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/goals/stream/2026-01-01T00:00:00.000',
};

const { Resources } = template();
const alarms = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');

describe('the alarms', () => {
  it('that a night has raised stay until the next night, whatever other calls of the check count', () => {
    const day = (hour: number, value: number) => Array.from({ length: 26 }, (_, i) => (i === hour ? value : undefined));
    for (const name of ['Drift', 'CheckFailed', 'CheckTimedOut', 'CheckQuarantined', 'Quarantined']) {
      expect(stateOf(name, day(25, 3))).toBe('ALARM');
      expect(stateOf(name, day(1, 3))).toBe('ALARM');
      expect(stateOf(name, day(25, 0))).toBe('OK');
    }
    const nightAndRest = [...day(2, 3).slice(0, 3), ...Array(23).fill(0)];
    expect(stateOf('Drift', nightAndRest)).toBe('ALARM');
  });
  it('look at no more time than CloudWatch does: a day, or a week of hours', () => {
    for (const [, alarm] of alarms) {
      const { Period, EvaluationPeriods } = watchedOf(alarm);
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(Period >= 3600 ? 7 * 86_400 : 86_400);
    }
  });
  it('each name their runbook, which is there; a parameter makes it a link', () => {
    const docsUrl = 'https://git.example.com/docs';
    const options = [{}, OF_ELSEWHERE, { observe: true, feedEventBus: 'changes' }, { docsUrl }];
    for (const parameters of options) {
      const stack = template(testStack(goalGraph(), parameters)).Resources;
      const found = Object.entries(stack).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
      expect(found.length).toBeGreaterThan(20);
      for (const [id, { Properties }] of found) {
        const name = id.replace(/Alarm$/, '');
        const [, folder, page, anchor] = / Runbook: (.+)\/([\w-]+\/\w+\.md)#(\S+)$/.exec(
          Properties['AlarmDescription'],
        )!;
        expect(folder).toBe('docsUrl' in parameters ? docsUrl : DOCS);
        const text = readFileSync(resolve(import.meta.dirname, '../../docs', page!), 'utf8');
        const heading = [...text.matchAll(/^#+ (.*)$/gm)].find(
          ([, one]) =>
            one!
              .toLowerCase()
              .replaceAll(/[^\w -]/g, '')
              .replaceAll(' ', '-') === anchor,
        )?.[1];
        expect(heading, name).toBeDefined();
        // The section, or its table, names the alarm itself.
        expect(`${heading} ${page === 'explain/observing.md' ? text : ''}`).toMatch(new RegExp(`\\b${name}\\b`));
      }
    }
  });
});

describe('what the functions emit themselves', () => {
  let emitted: string[];
  beforeEach(() => {
    emitted = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      emitted.push(String(line));
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it('holds every metric of that namespace that alarms and dashboard name, with its dimensions', async () => {
    const counts = { records: 1, touches: 1, writes: 1, wcu: 1, rcu: 1, conflicts: 0, quarantined: 0 };
    const graph = withTableName(goalGraph(), 'edgeloom-prod-records');
    const emit = metricsOf(graph.table.name);
    emitBatch(emit, counts, 5);
    emit(metricsOfCheck(undefined, emptyCounts()));
    // Without a client the function does not ask for the stream of the table.
    emit({ StreamReplaced: 0 });
    const store = new MemoryStore(graph.table, { indexes: graph.indexes });
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 60_000 };
    await redriveHandler(graph, { store, logger: functionLogger('silent') })({}, context);
    const documents = emitted.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
    const names = new Set<string>();
    for (const document of documents) {
      const [{ Namespace, Dimensions, Metrics }] = document._aws.CloudWatchMetrics;
      for (const { Name } of Metrics as { Name: string }[]) {
        names.add([Namespace, Name, ...Dimensions[0].flatMap((name: string) => [name, document[name]])].join(' '));
      }
    }
    const ofAlarms = alarms
      .filter(([, { Properties }]) => Properties['Namespace'] === 'Edgeloom')
      .map(([, { Properties }]) =>
        [
          ...['Edgeloom', Properties['MetricName']],
          ...Properties['Dimensions'].flatMap(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]),
        ].join(' '),
      );
    const graphs = dashboardMetrics().filter(([namespace]) => namespace === 'Edgeloom');
    const used = [...ofAlarms, ...graphs.map((metric) => metric.join(' '))];
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is JSON with a graph of each thing that has an alarm, in rows that do not overlap', () => {
    const names = dashboardMetrics().map(([, name]) => name);
    const ofAlarms = alarms.flatMap(([, alarm]) => watchedOf(alarm).metrics.map(({ MetricName }) => MetricName));
    const withGraph = ofAlarms.filter((name) => !/^Executions/.test(name));
    expect(withGraph.filter((name) => !names.includes(name))).toEqual([]);
    const places = widgets().map(({ x, y }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    expect(widgets().every(({ x, width }) => x + width <= 24)).toBe(true);
    expect(graphs().every(({ properties }) => properties.region === 'eu-central-1')).toBe(true);
    const bottoms = widgets().map(({ y, height }) => y + height);
    expect(widgets()[2]!.y).toBe(bottoms[1]);
  });
  it('says first what is wrong and since when, then what to do, and only then why', () => {
    const [wrong, todo, ...others] = widgets();
    const names = alarms.map(([id]) => `edgeloom-prod-${id.replace(/Alarm$/, '')}`);
    expect(wrong).toMatchObject({
      type: 'alarm',
      properties: {
        alarms: names.map((name) => `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${name}`),
        sortBy: 'stateUpdatedTimestamp',
      },
    });
    expect(todo).toMatchObject({ type: 'text' });
    const { markdown } = todo!.properties as unknown as { markdown: string };
    for (const [id, { Properties }] of alarms) {
      const runbook = Properties['AlarmDescription'].split(' Runbook: ')[1];
      expect(markdown).toMatch(new RegExp(`^\\| ${id.replace(/Alarm$/, '')} \\| .+ \\| \`${runbook}\` \\|$`, 'm'));
    }
    expect(others.every(({ type }) => type === 'metric')).toBe(true);
  });
  it('links to the runbooks where a parameter says where they are', () => {
    const { Dashboard } = template(testStack(goalGraph(), { docsUrl: 'https://git.example.com/docs' })).Resources;
    expect(Dashboard!.Properties['DashboardBody']).toContain(
      '[runbook](https://git.example.com/docs/how-to/alarms.md#iteratorage)',
    );
  });
});

/** What CloudWatch makes of the last periods of an alarm's metric. */
function stateOf(name: string, values: readonly (number | undefined)[]): 'ALARM' | 'OK' {
  const { Properties } = Resources[`${name}Alarm`]!;
  const { EvaluationPeriods, DatapointsToAlarm, Threshold } = Properties;
  expect(values).toHaveLength(EvaluationPeriods);
  const breaching = values.filter((value) => value !== undefined && value >= Threshold);
  return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK';
}

interface Widget {
  type: string;
  x: number;
  y: number;
  width: number;
  height: number;
  properties: { region: string; metrics: [...string[], object][] };
}

function widgets(): Widget[] {
  const body = Resources['Dashboard']!.Properties['DashboardBody'] as string;
  return (JSON.parse(body) as { widgets: Widget[] }).widgets;
}

function graphs(): Widget[] {
  return widgets().filter(({ type }) => type === 'metric');
}

/** Namespace, name and dimensions of each line in a graph. */
function dashboardMetrics(): string[][] {
  return graphs().flatMap(({ properties }) => properties.metrics.map((metric) => metric.slice(0, -1) as string[]));
}
