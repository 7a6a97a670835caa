import { EdgeloomError, StoreError } from '../../foundation/errors.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { CallService, JsonService } from '../../store/client/json-service.ts';

/** CloudWatch. */
export const CLOUDWATCH: JsonService = {
  name: 'monitoring',
  target: 'GraniteServiceVersion20100801',
  contentType: 'application/x-amz-json-1.0',
};

/** Options of a drill. */
export interface DrillOptions extends Pick<RuntimeOptions, 'wait'> {
  /** Calls CloudWatch. */
  call: CallService;
  /** The stack: the names of its alarms begin with it. */
  stack: string;
  /** Only these alarms, without the name of the stack. Default: all. */
  only?: readonly string[] | undefined;
  /** Lists the alarms, and sets none. */
  dryRun?: boolean | undefined;
  /** Called with each alarm that was tried. */
  onAlarm?: ((drilled: DrilledAlarm) => void) | undefined;
}

/** One alarm of a drill. */
export interface DrilledAlarm {
  alarm: string;
  /**
   * - `told`: each topic of the alarm has taken its message;
   * - `failed`: CloudWatch could not tell a topic;
   * - `silent`: the alarm has told nobody in a minute;
   * - `rings`: it rings for a fault, and was left alone;
   * - `planned`: the drill was dry.
   */
  outcome: 'told' | 'failed' | 'silent' | 'rings' | 'planned';
  /** ARNs of the topics. */
  topics: string[];
  /** The meaning of the alarm, and the place of its runbook. */
  description: string;
}

/** Looks for what an alarm has told, one a second. */
const LOOKS = 60;
const LOOK_MS = 1_000;
/** Tries of a call that CloudWatch throttles: it takes three new states a second. */
const TRIES = 8;
const REASON = 'A drill: edgeloom drill has set this state, nothing is wrong.';

interface Alarm {
  AlarmName: string;
  AlarmDescription?: string;
  AlarmActions?: string[];
  StateValue?: string;
}

interface HistoryItem {
  Timestamp?: number;
  HistorySummary?: string;
  HistoryData?: string;
}

/**
 * Tries the alarms of a stack: sets each to ALARM, waits until CloudWatch has told its topics, and clears it. An alarm that rings is left
 * alone. CloudWatch puts a state back at its next look at the metric, so a drill that is cut off leaves nothing behind. Alarms that only a
 * deployment looks at tell nobody, and are left out. Throws `invalid-option` where the stack has no such alarm.
 *
 * @example
 * const drilled = await drill({ call: jsonService(CLOUDWATCH, { region, credentials }), stack: 'edgeloom-prod' });
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
      'invalid-option',
      `The stack ${stack} has no alarm${named} that tells a topic.`,
      'Name the stack as in edgeloom-prod, its region with --region, and alarms as docs/operations.md does.',
    );
  }
  const drilled: DrilledAlarm[] = [];
  for (const alarm of alarms) {
    const { AlarmName, AlarmActions: topics = [], AlarmDescription: description = '', StateValue } = alarm;
    const outcome = StateValue === 'ALARM' ? 'rings' : dryRun ? 'planned' : await tryAlarm(call, options, alarm);
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
    if (typeof NextToken !== 'string') return found.filter(({ AlarmActions = [] }) => AlarmActions.length > 0);
  }
}

async function tryAlarm(
  call: CallService,
  options: DrillOptions,
  { AlarmName, AlarmActions = [] }: Alarm,
): Promise<DrilledAlarm['outcome']> {
  const { wait } = runtimeOf(options);
  // By CloudWatch's own clock: this machine's may be another.
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

/** The outcome of an alarm's action, by its history; undefined: it is not carried out yet. */
function outcomeOf(topic: string, items: readonly HistoryItem[]): 'told' | 'failed' | undefined {
  const own = items.filter(({ HistorySummary = '', HistoryData = '' }) =>
    (HistorySummary + HistoryData).includes(topic),
  );
  if (own.length === 0) return undefined;
  return own.some(({ HistorySummary = '' }) => /^Successfully/i.test(HistorySummary)) ? 'told' : 'failed';
}

/** Makes a call again that CloudWatch refuses because there were too many. */
function patientCall(options: DrillOptions): CallService {
  const { wait } = runtimeOf(options);
  return async (name, input) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await options.call(name, input);
      } catch (error) {
        if (!(error instanceof StoreError && error.kind === 'retryable') || attempt === TRIES) throw error;
        await wait(LOOK_MS);
      }
    }
  };
}
