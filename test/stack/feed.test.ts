import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { parametersOf, testStack } from '../support/stack/parameters.ts';
import type { TemplateResource } from '../support/stack/template.ts';

/** The way from the observer to an event bus, which a stack has where its parameter `feedEventBus` asks for it. */

const model = await loadModel('edgeloom.config.ts');
const FED = { observe: true, feedEventBus: 'default' };
const withFeed = testStack(model, FED).Resources as Record<string, TemplateResource>;

describe('a stack with a feed', () => {
  it('has queues that keep the order of each group, and hold changes for days', () => {
    for (const id of ['FeedQueue', 'FeedDeadLetterQueue']) {
      const { QueueName, FifoQueue, FifoThroughputLimit, MessageRetentionPeriod } = withFeed[id]!.Properties;
      expect(String(QueueName)).toMatch(/\.fifo$/);
      expect({ FifoQueue, FifoThroughputLimit }).toEqual({ FifoQueue: true, FifoThroughputLimit: 'perMessageGroupId' });
      expect(MessageRetentionPeriod).toBe(14 * 86_400);
    }
    const { VisibilityTimeout, RedrivePolicy } = withFeed['FeedQueue']!.Properties;
    const { Timeout } = withFeed['FeedLambdaFunction']!.Properties;
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    // SQS allows 1,000 receives at most; so many take days.
    expect(RedrivePolicy.maxReceiveCount).toBeLessThanOrEqual(1_000);
    expect(RedrivePolicy.maxReceiveCount * VisibilityTimeout).toBeGreaterThan(3 * 86_400);
    expect(RedrivePolicy.maxReceiveCount * VisibilityTimeout).toBeLessThan(MOST_SECONDS);
    expect(withFeed['FeedEventSourceMappingSQSFeedQueue']!.Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
    });
  });

  it('takes the name or the ARN of a bus, together with an observer', () => {
    expect(() => parametersOf({ feedEventBus: 'default' })).toThrow('feedEventBus: goes together with observe: true');
    expect(() => parametersOf({ ...FED, feedEventBus: 'two words' })).toThrow('should be the name or the ARN');
    expect(parametersOf({ observe: 'true', feedEventBus: 'own/bus.a' }).feedEventBus).toBe('own/bus.a');
  });
});

/** The most that SQS keeps a message. */
const MOST_SECONDS = 14 * 86_400;
