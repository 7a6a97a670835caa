import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runbookOf } from '../../src/deployment/stack/parts/alarms.ts';
import { checkDefinition } from '../../src/deployment/stack/parts/check-machine.ts';
import { WATCH_MINUTES } from '../../src/deployment/stack/parts/functions.ts';
import { ROOT } from '../support/command.ts';
import { goalGraph } from '../support/contracts-model.ts';
import { Metrics, metricText, type Ring, rings } from '../support/stack/alarm-rules.ts';
import { parametersOf, testStack } from '../support/stack/parameters.ts';
import { template } from '../support/stack/template.ts';

/**
 * Days of a stack as CloudWatch counts them, with and without faults, replayed through every alarm of the template. A fault has one
 * alarm that has to ring within a time, and others that may ring with it; all others stay silent.
 */

const { Resources } = template(testStack(goalGraph()));
const TABLE = Resources['RecordsTable']!.Properties['TableName'] as string;
const TABLE_ARN = `arn:aws:dynamodb:eu-central-1:123456789012:table/${TABLE}`;
/** The same table as one of elsewhere, which may be provisioned. */
const OF_ELSEWHERE = {
  existingTableArn: TABLE_ARN,
  existingStreamArn: `${TABLE_ARN}/stream/2026-01-01T00:00:00.000`,
};
const ALARMS = Object.entries({ ...template(testStack(goalGraph(), OF_ELSEWHERE)).Resources, ...Resources }).filter(
  ([, { Type }]) => Type === 'AWS::CloudWatch::Alarm',
);

const HOUR = 60;
const DAY = 24 * HOUR;
const DAYS = 3;
/** The first check begins at this minute of each day, after the deployment at minute 0. */
const CHECK_AT = 9 * HOUR;
const CHECK_MINUTES = 2 * HOUR;
const REDRIVE_MINUTES = parametersOf().redriveMinutes;
const MACHINE_RETRY = checkDefinition(parametersOf()).States.Plan.Retry[1];

/** What a day has of faults; each is true from its minute on. */
interface Faults {
  from?: number;
  until?: number;
  mappingIsOff?: boolean;
  ageMs?: number;
  streamFails?: boolean;
  streamIsThrottled?: boolean;
  recordFails?: boolean;
  batchIsGivenUp?: boolean;
  batchIsLost?: boolean;
  redriveFails?: boolean;
  redriveIsThrottled?: boolean;
  redriveIsNotStarted?: boolean;
  queueIsNotRead?: boolean;
  batchIsDead?: boolean;
  scheduleIsRefused?: boolean;
  itemIsBad?: boolean;
  drift?: boolean;
  tableIsUnmanaged?: boolean;
  migrationIsOpen?: boolean;
  checkFails?: 'check' | 'rebuild';
  checkIsThrottled?: 'check' | 'rebuild';
  checkIsNotStarted?: boolean;
  checkIsPartial?: boolean;
  machineTimesOut?: boolean;
  streamIsReplaced?: boolean;
  nobodyWatches?: boolean;
  entryIsInNoIndex?: boolean;
  throttled?: string;
}

type Dimensions = readonly { Name: string; Value: string }[];

const texts = new Map<Dimensions, Map<string, string>>();

/** The text of a metric, made once. */
function textOf(namespace: string, name: string, dimensions: Dimensions): string {
  const known = texts.get(dimensions) ?? new Map<string, string>();
  texts.set(dimensions, known);
  const text = known.get(name) ?? metricText(namespace, name, dimensions);
  known.set(name, text);
  return text;
}

/** The dimensions of one thing, made once. */
function dimensionsOf(name: string, values: readonly string[]): Record<string, Dimensions> {
  return Object.fromEntries(values.map((value) => [value, [{ Name: name, Value: `own-test-${value}` }]]));
}

const LAMBDA = dimensionsOf('FunctionName', ['stream', 'check', 'rebuild', 'redrive']);
const QUEUE = dimensionsOf('QueueName', ['failed-batches', 'dead-letters', 'schedule-dead-letters']);
const lambda = (name: string): Dimensions => LAMBDA[name]!;
const queue = (name: string): Dimensions => QUEUE[name]!;
const mapping: Dimensions = [{ Name: 'EventSourceMappingUUID', Value: 'StreamEventSourceMappingDynamodbRecordsTable' }];
const OWN: Dimensions = [
  { Name: 'service', Value: 'edgeloom' },
  { Name: 'table', Value: TABLE },
];
const machine: Dimensions = [
  { Name: 'StateMachineArn', Value: 'arn:aws:states:eu-central-1:123456789012:stateMachine:own-test-check' },
];

/** The metrics of days after a first deployment. */
function daysWith(faults: Faults): Metrics {
  const metrics = new Metrics();
  const { from = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY } = faults;
  const has = (minute: number, fault: keyof Faults): boolean =>
    minute >= from && minute < until && Boolean(faults[fault]);
  const add = (minute: number, namespace: string, name: string, dimensions: Dimensions, value: number): void =>
    metrics.add(minute, textOf(namespace, name, dimensions), value);
  let failedSince: number | undefined;
  let checkedAt = 0;

  /** A call by someone who tries again: the minutes of its tries. */
  const calls = (name: string, minutes: readonly number[], fails: boolean, isThrottled: boolean): boolean => {
    for (const minute of fails || isThrottled ? minutes : minutes.slice(0, 1)) {
      if (isThrottled) add(minute, 'AWS/Lambda', 'Throttles', lambda(name), 1);
      else add(minute, 'AWS/Lambda', 'Errors', lambda(name), fails ? 1 : 0);
    }
    return !fails && !isThrottled;
  };

  for (let minute = 1; minute < DAYS * DAY; minute++) {
    // The stream. Nights are quiet: then the mapping polls, and calls nothing.
    const isBusy = minute % DAY < 14 * HOUR;
    if (!has(minute, 'mappingIsOff')) {
      add(minute, 'AWS/Lambda', 'PolledEventCount', mapping, isBusy ? 600 : 0);
      if (isBusy) {
        add(minute, 'AWS/Lambda', 'IteratorAge', lambda('stream'), (has(minute, 'ageMs') && faults.ageMs) || 900);
        add(minute, 'AWS/Lambda', 'Errors', lambda('stream'), has(minute, 'streamFails') ? 2 : 0);
        add(minute, 'AWS/Lambda', 'Throttles', lambda('stream'), has(minute, 'streamIsThrottled') ? 3 : 0);
        add(minute, 'Edgeloom', 'Quarantined', OWN, minute === from && faults.itemIsBad ? 1 : 0);
        if (has(minute, 'recordFails') || has(minute, 'streamFails')) {
          add(minute, 'AWS/Lambda', 'FailedInvokeEventCount', mapping, 40);
        }
      }
    }
    if (minute === from && faults.batchIsGivenUp) {
      add(minute, 'AWS/Lambda', 'OnFailureDestinationDeliveredEventCount', mapping, 40);
      failedSince = minute;
    }
    if (minute === from && faults.batchIsLost) add(minute, 'AWS/Lambda', 'DroppedEventCount', mapping, 40);
    // Queues. A batch that is given up is redriven within minutes.
    if (failedSince !== undefined && !has(minute, 'queueIsNotRead') && minute > failedSince + 2)
      failedSince = undefined;
    const age = failedSince === undefined ? 0 : (minute - failedSince) * 60;
    add(minute, 'AWS/SQS', 'ApproximateAgeOfOldestMessage', queue('failed-batches'), age);
    const visible = (name: string, count: number): void =>
      add(minute, 'AWS/SQS', 'ApproximateNumberOfMessagesVisible', queue(name), count);
    visible('dead-letters', has(minute, 'batchIsDead') ? 1 : 0);
    visible('schedule-dead-letters', has(minute, 'scheduleIsRefused') ? 1 : 0);
    // The table.
    const throttled = has(minute, 'throttled') ? faults.throttled! : '';
    const [kind, cause, index] = throttled.split(' ');
    if (throttled !== '') {
      const place = [{ Name: 'TableName', Value: TABLE }];
      const inIndex = index === undefined ? place : [...place, { Name: 'GlobalSecondaryIndexName', Value: index }];
      add(minute, 'AWS/DynamoDB', `${kind}${cause}ThrottleEvents`, inIndex, 5);
    }
    // The redrive: EventBridge calls it up to a minute late, and Lambda tries a failed call twice more.
    if (minute % REDRIVE_MINUTES === Math.floor(minute / REDRIVE_MINUTES) % 2 && !has(minute, 'redriveIsNotStarted')) {
      const isThrottled = has(minute, 'redriveIsThrottled');
      const tries = isThrottled
        ? Array.from({ length: 12 }, (_, i) => minute + i * 5)
        : [minute, minute + 1, minute + 3];
      const isFine = calls('redrive', tries, has(minute, 'redriveFails'), isThrottled);
      if (isFine) {
        add(minute, 'Edgeloom', 'RedriveLeft', OWN, has(minute, 'itemIsBad') ? 1 : 0);
        add(minute, 'Edgeloom', 'CheckAgeSeconds', OWN, (minute - checkedAt) * 60);
        // The first redrive comes before the first migration.
        const isUnmanaged = minute < REDRIVE_MINUTES / 2 || has(minute, 'tableIsUnmanaged');
        add(minute, 'Edgeloom', 'Unmanaged', OWN, isUnmanaged ? 1 : 0);
        add(minute, 'Edgeloom', 'MigrationOpen', OWN, has(minute, 'migrationIsOpen') ? 2 : 0);
      }
    }
    if (minute % WATCH_MINUTES === 0 && !has(minute, 'nobodyWatches')) {
      // A deployment has changed the stream between two looks of the second day.
      const isReplaced = has(minute, 'streamIsReplaced') || minute === DAY + WATCH_MINUTES;
      add(minute, 'Edgeloom', 'StreamReplaced', OWN, isReplaced ? 1 : 0);
    }
    // The check.
    if (minute % DAY === CHECK_AT && !has(minute, 'checkIsNotStarted') && !has(minute, 'scheduleIsRefused')) {
      const broken = faults.checkFails ?? faults.checkIsThrottled;
      const fails = has(minute, 'checkFails');
      const isThrottled = has(minute, 'checkIsThrottled');
      const isFine = calls(broken ?? 'check', machineTries(minute), fails, isThrottled);
      const end = minute + CHECK_MINUTES;
      if (!isFine) add(minute + 20, 'AWS/States', 'ExecutionsFailed', machine, 1);
      else if (has(minute, 'machineTimesOut')) add(end, 'AWS/States', 'ExecutionsTimedOut', machine, 1);
      else {
        add(end, 'AWS/States', 'ExecutionsSucceeded', machine, 1);
        add(end, 'Edgeloom', 'CheckDrift', OWN, has(minute, 'drift') ? 3 : 0);
        add(end, 'Edgeloom', 'CheckQuarantined', OWN, has(minute, 'entryIsInNoIndex') ? 1 : 0);
        if (!has(minute, 'checkIsPartial')) checkedAt = end;
      }
    }
  }
  return metrics;
}

/** The minutes of the machine's tries of a call, if its jitter halves each pause. */
function machineTries(minute: number): number[] {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds, MaxAttempts } = MACHINE_RETRY;
  let seconds = 0;
  const after = Array.from({ length: MaxAttempts }, (_, i) => {
    seconds += Math.min(MaxDelaySeconds, IntervalSeconds * BackoffRate ** i) / 2;
    return minute + Math.floor(seconds / 60);
  });
  return [minute, ...after];
}

/** The alarms that ring in such days, with their first ring. */
function rung(faults: Faults): Map<string, Ring> {
  const metrics = daysWith(faults);
  const found = new Map<string, Ring>();
  for (const [id, alarm] of ALARMS) {
    // CloudWatch does not say how far back it looks for real points; both have to be right.
    for (const more of [0, 2]) {
      const first = rings(alarm, metrics, DAYS * DAY, more).find(({ state }) => state !== 'OK');
      const before = found.get(id.replace(/Alarm$/, ''));
      if (first !== undefined && (before === undefined || first.minute > before.minute)) {
        found.set(id.replace(/Alarm$/, ''), first);
      }
    }
  }
  return found;
}

const MIDDAY = DAY + 5 * HOUR;
const NEXT_CHECK = DAY + CHECK_AT;
const NO_CHECK = 26 * HOUR + 2 * REDRIVE_MINUTES;

/** What happens, the alarm that rings, the minutes until it does, and the alarms that may ring with it. */
type Fault = readonly [faults: Faults, rings: string, within: number, ...andMaybe: string[]];

const OF_NIGHT = { from: NEXT_CHECK };
const OF_A_CHECK = ['CheckFailed', 'CheckOverdue'] as const;
const FAULTS: Record<string, Fault> = {
  'the mapping is disabled': [{ mappingIsOff: true }, 'NotPolled', 30],
  'the projector is behind': [{ ageMs: 400_000 }, 'IteratorAge', 6],
  'the stream function fails': [{ streamFails: true }, 'StreamErrors', 16, 'FailedEvents'],
  'the stream function is throttled': [{ streamIsThrottled: true }, 'StreamThrottles', 16],
  'a record fails': [{ recordFails: true }, 'FailedEvents', 16],
  'a batch is given up': [{ batchIsGivenUp: true }, 'FailedBatches', 6],
  'a batch is lost': [{ batchIsLost: true }, 'DroppedEvents', 6],
  'the redrive function fails': [{ redriveFails: true }, 'RedriveErrors', REDRIVE_MINUTES + 5, 'RedriveMissing'],
  'the redrive function is throttled': [
    { redriveIsThrottled: true },
    'RedriveThrottles',
    REDRIVE_MINUTES + 30,
    'RedriveMissing',
  ],
  "the redrive's schedule is disabled": [{ redriveIsNotStarted: true }, 'RedriveMissing', 6 * REDRIVE_MINUTES],
  "the redrive's mapping is disabled": [
    { batchIsGivenUp: true, queueIsNotRead: true },
    'FailedBatchesAge',
    66,
    'FailedBatches',
  ],
  'a batch cannot be redriven': [{ batchIsDead: true }, 'DeadLetters', 6],
  'a schedule may not start the check': [{ scheduleIsRefused: true }, 'ScheduleDeadLetters', 6, 'CheckOverdue'],
  'an item cannot be projected': [{ itemIsBad: true }, 'Quarantined', 2 * HOUR, 'QuarantineNotEmpty'],
  'an item stays in quarantine': [{ itemIsBad: true }, 'QuarantineNotEmpty', 2 * REDRIVE_MINUTES, 'Quarantined'],
  'the table has no registry': [{ tableIsUnmanaged: true }, 'Unmanaged', 5 * REDRIVE_MINUTES],
  'a migration is left half done': [{ migrationIsOpen: true }, 'MigrationOpen', 26 * HOUR],
  'the stream is switched off and on': [{ streamIsReplaced: true }, 'StreamReplaced', 15],
  'the schedule that looks at the stream is disabled': [{ nobodyWatches: true }, 'StreamReplaced', 25],
  'the check finds an entry of the quarantine that is in no index': [
    { entryIsInNoIndex: true, ...OF_NIGHT },
    'CheckQuarantined',
    CHECK_MINUTES + HOUR,
  ],
  'the check finds drift': [{ drift: true, ...OF_NIGHT }, 'Drift', CHECK_MINUTES + HOUR],
  'the function check fails': [{ checkFails: 'check', ...OF_NIGHT }, 'CheckErrors', 20, ...OF_A_CHECK],
  'the function check is throttled': [{ checkIsThrottled: 'check', ...OF_NIGHT }, 'CheckThrottles', 20, ...OF_A_CHECK],
  'the function rebuild fails': [{ checkFails: 'rebuild', ...OF_NIGHT }, 'RebuildErrors', 20, ...OF_A_CHECK],
  'the function rebuild is throttled': [
    { checkIsThrottled: 'rebuild', ...OF_NIGHT },
    'RebuildThrottles',
    20,
    ...OF_A_CHECK,
  ],
  'an execution fails': [{ checkFails: 'check', ...OF_NIGHT }, 'CheckFailed', 2 * HOUR, 'CheckErrors', 'CheckOverdue'],
  'an execution takes too long': [
    { machineTimesOut: true, ...OF_NIGHT },
    'CheckTimedOut',
    CHECK_MINUTES + 2 * HOUR,
    'CheckOverdue',
  ],
  'no check is started': [{ checkIsNotStarted: true }, 'CheckOverdue', NO_CHECK],
  'checks end before they have read all of the table': [{ checkIsPartial: true }, 'CheckOverdue', NO_CHECK],
  'a partition is hot': throttledBy('Write KeyRangeThroughput gsi0', 'HotPartition'),
  'the maximum of the table is reached': throttledBy('Read MaxOnDemandThroughput', 'TableCap'),
  "the account's quota is reached": throttledBy('Write AccountLimit', 'AccountLimit'),
  'the units of a provisioned table are used up': throttledBy('Write ProvisionedThroughput gsi1', 'ProvisionedCap'),
};

function throttledBy(throttled: string, alarm: string): Fault {
  return [{ throttled, until: MIDDAY + HOUR }, alarm, 16];
}

/** Faults of sources, by the alarm that rings: what is wrong, and what its metrics are then. */
const MIRROR_FAULTS: Record<string, [fault: string, metrics: Values]> = {
  MirrorAge: ['the mirror is behind a source', { 'AWS/Lambda IteratorAge mirror': 301_000 }],
  MirrorNotPolled: [
    'the mapping of a source is disabled',
    { 'AWS/Lambda PolledEventCount MirrorEventSourceMapping1': undefined },
  ],
  MirrorErrors: ['the mirror function fails', { 'AWS/Lambda Errors mirror': 1 }],
  MirrorThrottles: ['the mirror function is throttled', { 'AWS/Lambda Throttles mirror': 1 }],
  MirrorGaveUp: [
    'a batch of a source is given up',
    { 'AWS/SQS ApproximateNumberOfMessagesVisible mirror-dead-letters': 1 },
  ],
  MirrorRefused: ['the mapping does not take a source item', { 'Edgeloom MirrorRefused': 1 }],
  MirrorConflicts: ['two source items make one base item', { 'Edgeloom MirrorConflicts': 1 }],
  SourceStreamReplaced: ['the stream of a source is switched off and on', { 'Edgeloom SourceStreamReplaced': 1 }],
};
/** Faults of the observer and of the feed, in the same way. */
const OBSERVER_FAULTS: Record<string, [fault: string, metrics: Values]> = {
  Unverified: ['the observer cannot verify what changed', { 'Edgeloom VerifiedAgeSeconds': 1_000 }],
  ObservedDrift: ['a derived item is damaged', { 'Edgeloom ObservedDrift': 1 }],
  ObserverMissing: ["the observer's schedule is disabled", { 'Edgeloom VerifiedAgeSeconds': undefined }],
  FeedAge: ['changes wait for the event bus', { 'AWS/SQS ApproximateAgeOfOldestMessage feed.fifo': 1_000 }],
  FeedDeadLetters: [
    'the event bus refuses a change',
    { 'AWS/SQS ApproximateNumberOfMessagesVisible feed-dead-letters.fifo': 1 },
  ],
  ObserveErrors: ['the function observe fails', { 'AWS/Lambda Errors observe': 1 }],
  ObserveThrottles: ['the function observe is throttled', { 'AWS/Lambda Throttles observe': 1 }],
  FeedErrors: ['the function feed fails', { 'AWS/Lambda Errors feed': 1 }],
  FeedThrottles: ['the function feed is throttled', { 'AWS/Lambda Throttles feed': 1 }],
};
const MIRROR_CAUSED: Record<string, string> = Object.fromEntries(
  ['MirrorRefused', 'MirrorConflicts', 'SourceStreamReplaced'].map((name) => [
    name,
    'integration/mirror-handler.test.ts',
  ]),
);

const THIS_FILE = ['stack/alarms-ring.test.ts'];
/** Tests that cause the fault itself, besides this one, which has the rules of CloudWatch. */
const CAUSED: Record<string, string[]> = {
  Drift: ['integration/check.test.ts'],
  Unmanaged: ['unit/lambda/redrive-registry.test.ts'],
  MigrationOpen: ['unit/lambda/redrive-registry.test.ts'],
  StreamReplaced: ['integration/deployed.test.ts'],
  ObservedDrift: ['integration/observe-handler.test.ts'],
  Unverified: ['integration/observe-handler.test.ts'],
  FeedDeadLetters: ['unit/feed/feed-sink.test.ts'],
};

describe('the alarms ring', () => {
  it.each(Object.entries(FAULTS))('%s', (_, [faults, expected, within, ...andMaybe]) => {
    const from = faults.from ?? MIDDAY;
    const found = rung({ ...faults, from });
    expect([...found.keys()].filter((name) => name !== expected && !andMaybe.includes(name))).toEqual([]);
    const { minute } = found.get(expected) ?? { minute: Number.POSITIVE_INFINITY };
    expect(minute).toBeGreaterThan(from);
    // Without a check the time runs from the last one on.
    expect(minute - (expected === 'CheckOverdue' ? CHECK_AT + CHECK_MINUTES : from)).toBeLessThanOrEqual(within);
  });
  it('each of them for a fault', () => {
    const ringing = new Set(Object.values(FAULTS).map(([, alarm]) => alarm));
    expect(ALARMS.map(([id]) => id.replace(/Alarm$/, '')).filter((name) => !ringing.has(name))).toEqual([]);
  });
  it('and docs/project/faults.md has each fault, its alarm, the runbook and the proof', () => {
    const rows = Object.entries(FAULTS).map(([fault, [, alarm]]) => {
      const runbook = runbookOf(alarm, { ...parametersOf(), docsUrl: '..' });
      return `| ${fault} | [${alarm}](${runbook}) | ${(CAUSED[alarm] ?? THIS_FILE).map((file) => `\`${file}\``).join(', ')} |`;
    });
    for (const [name, [fault]] of Object.entries({ ...MIRROR_FAULTS, ...OBSERVER_FAULTS })) {
      const runbook = runbookOf(name, { ...parametersOf(), docsUrl: '..' });
      const proof = MIRROR_CAUSED[name] ?? CAUSED[name]?.[0] ?? THIS_FILE[0];
      rows.push(`| ${fault} | [${name}](${runbook}) | \`${proof}\` |`);
    }
    const table = ['| fault | alarm and runbook | proof |', '|---|---|---|', ...rows].join('\n');
    const page = readFileSync(join(ROOT, 'docs/project/faults.md'), 'utf8');
    expect(page.slice(page.indexOf('| fault')).trimEnd()).toBe(table);
    for (const file of [...Object.values(CAUSED).flat(), ...Object.values(MIRROR_CAUSED)])
      expect(existsSync(join(ROOT, 'test', file)), file).toBe(true);
  });
  it('those of the mirror for theirs', () => {
    const sourceStreamArns = 'arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-01T00:00:00.000';
    const quiet = {
      ...{ 'AWS/Lambda IteratorAge mirror': 0, 'AWS/Lambda PolledEventCount MirrorEventSourceMapping1': 0 },
      'AWS/SQS ApproximateNumberOfMessagesVisible mirror-dead-letters': 0,
      ...{ 'Edgeloom MirrorRefused': 0, 'Edgeloom MirrorConflicts': 0, 'Edgeloom SourceStreamReplaced': 0 },
    };
    const faults = Object.fromEntries(Object.entries(MIRROR_FAULTS).map(([name, [, fault]]) => [name, fault]));
    expectEachAlone({ sourceStreamArns }, /^(Mirror|Source)\w*Alarm$/, quiet, faults);
  });
  it('those of the observer and of the feed for theirs', () => {
    const parameters = { observe: true, feedEventBus: 'changes' };
    const quiet: Record<string, number | undefined> = {
      ...{ 'Edgeloom VerifiedAgeSeconds': 30, 'Edgeloom ObservedDrift': 0 },
      ...{ 'AWS/SQS ApproximateAgeOfOldestMessage feed.fifo': 0 },
      'AWS/SQS ApproximateNumberOfMessagesVisible feed-dead-letters.fifo': 0,
    };
    const faults = Object.fromEntries(Object.entries(OBSERVER_FAULTS).map(([name, [, fault]]) => [name, fault]));
    expectEachAlone(parameters, /^(Observe|Unverified|Feed)\w*Alarm$/, quiet, faults);
  });
});

type Values = Record<string, number | undefined>;

/** Expects that these alarms of a stack ring for their own fault alone, and none while nothing is wrong. */
function expectEachAlone(parameters: object, ids: RegExp, quiet: Values, faults: Record<string, Values>): void {
  const resources = template(testStack(goalGraph(), parameters as never)).Resources;
  const own = Object.entries(resources).filter(([id]) => ids.test(id));
  const from = 3 * HOUR;
  expect(own.map(([id]) => id.replace(/Alarm$/, '')).sort()).toEqual(Object.keys(faults).sort());
  for (const [name, fault] of [['', {}] as const, ...Object.entries(faults)]) {
    const metrics = new Metrics();
    for (let minute = 1; minute < 6 * HOUR; minute++) {
      for (const [metric, value] of Object.entries({ ...quiet, ...(minute >= from && fault) })) {
        if (value === undefined) continue;
        const [namespace = '', metricName = '', thing = ''] = metric.split(' ');
        const dimension = namespace === 'AWS/SQS' ? 'QueueName' : 'FunctionName';
        const mapping = [{ Name: 'EventSourceMappingUUID', Value: thing }];
        const dimensions = thing.endsWith('1')
          ? mapping
          : thing === ''
            ? OWN
            : [{ Name: dimension, Value: `own-test-${thing}` }];
        metrics.add(minute, metricText(namespace, metricName, dimensions), value);
      }
    }
    const rang = own.filter(([, alarm]) => rings(alarm, metrics, 6 * HOUR, 0).some(({ state }) => state !== 'OK'));
    expect(rang.map(([id]) => id)).toEqual(name === '' ? [] : [`${name}Alarm`]);
  }
}

describe('no alarm rings', () => {
  it('at the first deployment, and in the days after it', () => {
    expect([...rung({}).keys()]).toEqual([]);
  });
  it('where a call fails once, or a migration takes an evening', () => {
    for (const faults of [
      { redriveFails: true, from: MIDDAY, until: MIDDAY + 1 },
      { streamFails: true, from: MIDDAY, until: MIDDAY + 2 },
      { streamIsThrottled: true, from: MIDDAY, until: MIDDAY + 2 },
      { throttled: 'Write KeyRangeThroughput', from: MIDDAY, until: MIDDAY + 4 },
      // A migration of an evening.
      { migrationIsOpen: true, from: MIDDAY, until: MIDDAY + 8 * HOUR },
    ]) {
      expect([...rung(faults).keys()]).toEqual([]);
    }
  });
  it('any more when the fault has passed', () => {
    const metrics = daysWith({ throttled: 'Write KeyRangeThroughput', from: MIDDAY, until: MIDDAY + HOUR });
    const found = ALARMS.flatMap(([id, alarm]) =>
      rings(alarm, metrics, DAYS * DAY, 0)
        .filter(({ minute }) => minute > MIDDAY)
        .map(({ state }) => `${id} ${state}`),
    );
    expect(found).toEqual(['HotPartitionAlarm ALARM', 'HotPartitionAlarm OK']);
  });
});
