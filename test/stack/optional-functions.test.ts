import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { frameworkStack, stackFixtures } from '../../src/deployment/stack/stack.ts';
import { howTo } from '../support/how-to.ts';
import { parametersOf, testStack } from '../support/stack/parameters.ts';
import type { TemplateResource } from '../support/stack/template.ts';

/** What a parameter adds that asks for a function more: exactly these resources, documented, counted, by every tool. */

const model = await loadModel('edgeloom.config.ts');
type Values = Readonly<Record<string, unknown>>;
const OBSERVED = { observe: true };
const STREAM = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app-table/stream/2026-01-01T00:00:00.000';

/** Parameters before and with the function, resources besides those of every function, and metrics of alarms beyond one each. */
const FUNCTIONS: Readonly<Record<string, { before: Values; with: Values; own: string[]; metrics?: number }>> = {
  Observe: {
    ...{ before: {}, with: OBSERVED },
    own: [
      ...['ObserveEventsRuleSchedule1', 'ObserveLambdaPermissionEventsRuleSchedule1'],
      ...['ObservedDriftAlarm', 'ObserverMissingAlarm', 'UnverifiedAlarm'],
    ],
  },
  Feed: {
    ...{ before: OBSERVED, with: { ...OBSERVED, feedEventBus: 'default' } },
    own: [
      ...['FeedQueue', 'FeedQueuePolicy', 'FeedDeadLetterQueue', 'FeedDeadLetterQueuePolicy'],
      ...['FeedEventSourceMappingSQSFeedQueue', 'FeedAgeAlarm', 'FeedDeadLettersAlarm'],
    ],
  },
  Mirror: {
    ...{ before: {}, with: { sourceStreamArns: STREAM } },
    own: [
      ...['MirrorEventSourceMapping1', 'MirrorEventsRuleSchedule1', 'MirrorLambdaPermissionEventsRuleSchedule1'],
      ...['MirrorDeadLetterQueue', 'MirrorDeadLetterQueuePolicy', 'MirrorAgeAlarm', 'MirrorNotPolledAlarm'],
      ...['MirrorGaveUpAlarm', 'MirrorRefusedAlarm', 'MirrorConflictsAlarm', 'SourceStreamReplacedAlarm'],
    ],
    // One alarm watches the queue and the mapping.
    metrics: 1,
  },
};

describe.each(Object.entries(FUNCTIONS))('the function %s', (name, { before, with: more, own, metrics = 0 }) => {
  const ids = (parameters: Values): string[] => Object.keys(testStack(model, parameters).Resources);
  const added = ids(more).filter((id) => !ids(before).includes(id));
  const alarms = added.filter((id) => id.endsWith('Alarm'));

  it('comes with its role, log, alarms and what it needs, and nothing else', () => {
    const common = ['LambdaFunction', 'LogGroup', 'Role', 'ErrorsAlarm', 'ThrottlesAlarm'].map((end) => name + end);
    expect(added.sort()).toEqual([...common, ...own].sort());
    expect(ids(before).filter((id) => !ids(more).includes(id))).toEqual([]);
  });

  it('has its alarms in the documentation, and pays for them in the cost', () => {
    const page = howTo(['alarms', '../explain/observing']);
    for (const id of alarms) expect(page).toContain(`\`${id.replace(/Alarm$/, '')}\``);
    const [less, all] = [before, more].map((given) => stackFixtures(model, parametersOf(given)));
    expect(all!.alarms - less!.alarms).toBe(alarms.length + metrics);
  });

  it('is made by the Serverless Framework too', () => {
    const { functions } = frameworkStack({ model, service: 'own', stage: 'test', parameters: parametersOf(more) });
    const module = name.toLowerCase();
    expect(functions).toHaveProperty(`${module}.handler`, `handlers/${module}.handler`);
  });
});

it('calls the observer every minute, whose calls end before they would be killed', () => {
  const { Resources } = testStack(model, OBSERVED);
  expect(Resources['ObserveEventsRuleSchedule1']!.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)' });
  // A call works for 50 seconds, and keeps 10 for its end.
  expect(Resources['ObserveLambdaFunction']!.Properties['Timeout']).toBeGreaterThanOrEqual(60);
});

it('names the role of the mirror in the outputs, for the policies of other accounts', () => {
  expect(testStack(model, FUNCTIONS['Mirror']!.with).Outputs).toHaveProperty('MirrorRoleArn');
  expect(testStack(model).Outputs).not.toHaveProperty('MirrorRoleArn');
});

describe('a stack with a feed', () => {
  const withFeed = testStack(model, FUNCTIONS['Feed']!.with).Resources as Record<string, TemplateResource>;
  /** The most that SQS keeps a message. */
  const RETENTION_SECONDS = 14 * 86_400;

  it('has queues that keep the order of each group, and hold changes for days', () => {
    for (const id of ['FeedQueue', 'FeedDeadLetterQueue']) {
      const { QueueName, FifoQueue, FifoThroughputLimit, MessageRetentionPeriod } = withFeed[id]!.Properties;
      expect(String(QueueName)).toMatch(/\.fifo$/);
      expect({ FifoQueue, FifoThroughputLimit }).toEqual({ FifoQueue: true, FifoThroughputLimit: 'perMessageGroupId' });
      expect(MessageRetentionPeriod).toBe(RETENTION_SECONDS);
    }
    const { VisibilityTimeout, RedrivePolicy } = withFeed['FeedQueue']!.Properties;
    const { Timeout } = withFeed['FeedLambdaFunction']!.Properties;
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    // SQS allows 1,000 receives at most; so many take days.
    expect(RedrivePolicy.maxReceiveCount).toBeLessThanOrEqual(1_000);
    expect(RedrivePolicy.maxReceiveCount * VisibilityTimeout).toBeGreaterThan(3 * 86_400);
    expect(RedrivePolicy.maxReceiveCount * VisibilityTimeout).toBeLessThan(RETENTION_SECONDS);
    expect(withFeed['FeedEventSourceMappingSQSFeedQueue']!.Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
    });
  });

  it('takes the name or the ARN of a bus, together with an observer', () => {
    expect(() => parametersOf({ feedEventBus: 'default' })).toThrow('feedEventBus: goes together with observe: true');
    expect(() => parametersOf({ ...OBSERVED, feedEventBus: 'two words' })).toThrow('should be the name or the ARN');
    expect(parametersOf({ observe: 'true', feedEventBus: 'own/bus.a' }).feedEventBus).toBe('own/bus.a');
  });
});
