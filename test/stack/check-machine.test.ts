import validate from 'asl-validator';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { checkedTable } from '../support/checked-table.ts';
import { loadFunction } from '../support/stack/functions.ts';
import { type Machine, runMachine } from '../support/stack/state-machine.ts';
import { rawTemplate, template } from '../support/stack/template.ts';

interface Share {
  segments: number;
  onlySegments: number[];
  repair: boolean;
  cursor: null;
}

function definition(stage: 'dev' | 'prod') {
  const { DefinitionString } = template(rawTemplate(inject('packages')[stage])).Resources['CheckMachine']!.Properties;
  return JSON.parse(DefinitionString) as Machine & { TimeoutSeconds: number };
}

function map(stage: 'dev' | 'prod') {
  return definition(stage).States['Workers'] as unknown as { Items: Share[]; MaxConcurrency: number };
}

describe.each(['dev', 'prod'] as const)('the state machine of the check, stage %s', (stage) => {
  it('is valid in the Amazon States Language', () => {
    const { errors } = validate(definition(stage), { checkPaths: true, checkArn: true });
    expect(errors).toEqual([]);
  });
  it('deals every segment of the table out to one worker', () => {
    const shares = map(stage).Items;
    const { segments } = shares[0]!;
    expect(shares.flatMap(({ onlySegments }) => onlySegments).sort((a, b) => a - b)).toEqual(
      Array.from({ length: segments }, (_, i) => i),
    );
    expect(new Set(shares.map((share) => share.segments))).toEqual(new Set([segments]));
    expect(map(stage).MaxConcurrency).toBe(shares.length);
  });
});

describe('the state machine', () => {
  it('is a distributed map whose children may run for hours, and fails when one of them does', () => {
    expect(map('prod')).toMatchObject({
      Type: 'Map',
      ToleratedFailurePercentage: 0,
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } },
    });
    expect(map('prod').Items).toHaveLength(8);
    expect(map('prod').Items[0]).toMatchObject({ segments: 64, repair: false, cursor: null });
    expect(definition('prod').TimeoutSeconds).toBe(12 * 3600);
  });
  it('is started every night, by a role that may start it', () => {
    const { Resources } = template();
    expect(Resources['CheckMachine']!.Properties).toMatchObject({ StateMachineType: 'STANDARD' });
    expect(Resources['CheckSchedule']!.Properties).toMatchObject({
      ScheduleExpression: 'cron(0 2 * * ? *)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:edgeloom-prod-check',
          RoleArn: 'arn:aws:iam::123456789012:role/CheckScheduleRole',
          Input: '{}',
        },
      ],
    });
  });
  it('is refused by the validator where a state leads nowhere', () => {
    const broken = definition('prod');
    const children = broken.States['Workers']!.ItemProcessor!;
    children.States['Check']!.Next = 'Nowhere';
    const codes = validate(broken).errors.map((error) => error['Error code']);
    expect(codes).toContain('MISSING_TRANSITION_TARGET');
  });
});

describe('a run of the state machine with the packaged function', () => {
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterEach(() => vi.restoreAllMocks());

  it('carries the cursor from call to call, and adds the totals of the workers up to those of one whole check', async () => {
    const { graph, endpoint, run, corrupt } = await checkedTable(12);
    for (const id of ['GOAL-G1', 'GOAL-G3', 'GOAL-G8']) await corrupt(id, '~view', ({ edgeSet: _, ...item }) => item);
    const whole = await run();
    const handler = await loadFunction('check', {
      EDGELOOM_TABLE: graph.table.name,
      AWS_ENDPOINT_URL: endpoint,
      EDGELOOM_SETTLE_SECONDS: '0.01',
      EDGELOOM_LOG_LEVEL: 'silent',
    });
    let calls = 0;
    const totals = await runMachine(definition('dev'), {}, async (arn, payload) => {
      expect(arn).toBe('arn:aws:lambda:eu-central-1:123456789012:function:edgeloom-dev-check');
      calls += 1;
      expect(calls).toBeLessThan(100);
      // Every second call has hardly any time: it stops and gives a cursor.
      let asked = 0;
      const getRemainingTimeInMillis = () => (calls % 2 === 0 || asked++ < 3 ? 60_000 : 0);
      return await handler(payload, { awsRequestId: 'night-1', getRemainingTimeInMillis });
    });
    expect(calls).toBeGreaterThan(map('dev').Items.length);
    const { partitions, baseItems, derivedItems, drift } = whole;
    expect(totals).toMatchObject({ partitions, baseItems, derivedItems, drift, repaired: 0, quarantined: 0 });
    expect(drift).toEqual({ missing: 0, stale: 3, orphan: 0 });
  });
});
