import { docsPage } from '../../foundation/docs.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { retryableUpTo, retrying } from '../../foundation/retry.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { CallService, JsonService } from '../../store/client/json-service.ts';

export const CLOUDWATCH: JsonService = {
  name: 'monitoring',
  target: 'GraniteServiceVersion20100801',
  contentType: 'application/x-amz-json-1.0',
};

export interface DrillOptions {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  call: CallService;
  stack: string;
  /** Without the stack's prefix. Default: all alarms. */
  only?: readonly string[] | undefined;
  dryRun?: boolean | undefined;
  onAlarm?: ((drilled: DrilledAlarm) => void) | undefined;
}

export interface DrilledAlarm {
  alarm: string;
  /**
   * `told`: CloudWatch notified every topic; `failed`: it could not notify a topic; `silent`: after a minute, it had
   * not tried to notify every topic; `rings`: skipped, because the alarm was already ringing; `planned`: a dry run.
   */
  outcome: 'told' | 'failed' | 'silent' | 'rings' | 'planned';
  topics: string[];
  description: string;
}

const LOOKS = 60;
const LOOK_MS = 1_000;
/** CloudWatch allows only three `SetAlarmState` calls per second, so calls may be throttled. */
const TRIES = 8;
const REASON = 'A drill: edgeloom drill has set this state, nothing is wrong.';

/** Excludes alarms of stacks whose names have the same prefix, such as `edgeloom-prod-eu`. */
const OWN_NAME = /^[A-Z][A-Za-z0-9]*$/;

interface Alarm {
  AlarmName: string;
  AlarmDescription?: string;
  AlarmActions?: string[];
  OKActions?: string[];
  InsufficientDataActions?: string[];
  StateValue?: string;
}

interface HistoryItem {
  Timestamp?: number;
  HistorySummary?: string;
  HistoryData?: string;
}

/**
 * Sets each alarm of a stack to ALARM, waits until CloudWatch has notified its topics, and resets it to OK. Skips
 * ringing alarms, and alarms with actions other than topics, which may stop a machine. CloudWatch corrects the state
 * that an interrupted drill leaves.
 */
export async function drill(options: DrillOptions): Promise<DrilledAlarm[]> {
  const { stack, only, dryRun = false, onAlarm } = options;
  const call = patientCall(options);
  const alarms = (await alarmsOf(call, stack)).filter(
    ({ AlarmName }) => only === undefined || only.includes(AlarmName.slice(stack.length + 1)),
  );
  const missing = (only ?? []).filter((name) => !alarms.some(({ AlarmName }) => AlarmName === `${stack}-${name}`));
  if (alarms.length === 0 || missing.length > 0) {
    const named = missing.length === 0 ? '' : ` ${missing.join(', ')}`;
    throw new EdgeloomError(
      'invalid-argument',
      `The stack ${stack} has no alarm${named} that tells a topic.`,
      `Name the stack as in edgeloom-prod, its region with --region, and alarms as ${docsPage('alarms')} does.`,
    );
  }
  const drilled: DrilledAlarm[] = [];
  for (const alarm of alarms) {
    const { AlarmName, AlarmActions: topics = [], AlarmDescription: description = '' } = alarm;
    const outcome = isRinging(alarm) ? 'rings' : dryRun ? 'planned' : await tryAlarm(call, options, alarm);
    drilled.push({ alarm: AlarmName, outcome, topics, description });
    onAlarm?.(drilled.at(-1)!);
  }
  return drilled;
}

async function alarmsOf(call: CallService, stack: string): Promise<Alarm[]> {
  const found: Alarm[] = [];
  for (let NextToken: unknown; ; ) {
    const page = await call('DescribeAlarms', {
      ...{ AlarmNamePrefix: `${stack}-`, AlarmTypes: ['MetricAlarm'], MaxRecords: 100 },
      ...(typeof NextToken === 'string' && { NextToken }),
    });
    found.push(...((page['MetricAlarms'] ?? []) as Alarm[]));
    NextToken = page['NextToken'];
    if (typeof NextToken !== 'string') return found.filter((alarm) => isOwn(alarm, stack));
  }
}

function isOwn({ AlarmName, AlarmActions = [], ...others }: Alarm, stack: string): boolean {
  const { OKActions = [], InsufficientDataActions = [] } = others;
  const actions = [...AlarmActions, ...OKActions, ...InsufficientDataActions];
  return (
    OWN_NAME.test(AlarmName.slice(stack.length + 1)) &&
    AlarmActions.length > 0 &&
    actions.every((action) => /^arn:[^:]+:sns:/.test(action))
  );
}

/** Includes alarms that notify about missing data, because a drill would make them notify again. */
function isRinging({ StateValue, InsufficientDataActions = [] }: Alarm): boolean {
  return StateValue === 'ALARM' || (StateValue === 'INSUFFICIENT_DATA' && InsufficientDataActions.length > 0);
}

async function tryAlarm(
  call: CallService,
  options: DrillOptions,
  { AlarmName, AlarmActions = [] }: Alarm,
): Promise<DrilledAlarm['outcome']> {
  const { wait } = runtimeOf(options);
  // Compares CloudWatch's own timestamps, because this machine's clock may differ.
  const before = Math.max(0, ...(await actionsOf(call, AlarmName)).map(({ Timestamp = 0 }) => Timestamp));
  await call('SetAlarmState', { AlarmName, StateValue: 'ALARM', StateReason: REASON });
  try {
    for (let look = 1; look <= LOOKS; look++) {
      const since = (await actionsOf(call, AlarmName)).filter(({ Timestamp = 0 }) => Timestamp > before);
      const outcomes = AlarmActions.map((topic) => outcomeOf(topic, since));
      if (outcomes.includes('failed')) return 'failed';
      if (outcomes.every((outcome) => outcome === 'told')) return 'told';
      await wait(LOOK_MS);
    }
    return 'silent';
  } finally {
    await call('SetAlarmState', { AlarmName, StateValue: 'OK', StateReason: REASON });
  }
}

async function actionsOf(call: CallService, AlarmName: string): Promise<HistoryItem[]> {
  const { AlarmHistoryItems = [] } = await call('DescribeAlarmHistory', {
    ...{ AlarmName, HistoryItemType: 'Action', ScanBy: 'TimestampDescending', MaxRecords: 100 },
  });
  return AlarmHistoryItems as HistoryItem[];
}

function outcomeOf(topic: string, items: readonly HistoryItem[]): 'told' | 'failed' | undefined {
  const own = items.filter(({ HistorySummary = '', HistoryData = '' }) =>
    (HistorySummary + HistoryData).includes(topic),
  );
  if (own.length === 0) return undefined;
  return own.some(({ HistorySummary = '' }) => /^Successfully/i.test(HistorySummary)) ? 'told' : 'failed';
}

function patientCall(options: DrillOptions): CallService {
  const wait = (): Promise<void> => runtimeOf(options).wait(LOOK_MS);
  return (name, input) => retrying(() => options.call(name, input), { wait, isRetryable: retryableUpTo(TRIES) });
}
