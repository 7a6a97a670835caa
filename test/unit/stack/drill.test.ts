import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { drillCommand } from '../../../packages/cli/commands/trust/drill.ts';
import { drill } from '../../../src/deployment/drill/drill.ts';
import { StoreError } from '../../../src/foundation/errors.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:own-test-alarms';

interface FakeAlarm {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: string[];
  OKActions?: string[];
  InsufficientDataActions?: string[];
  StateValue: string;
}

interface HistoryItem {
  Timestamp: number;
  HistorySummary: string;
}

/** CloudWatch with alarms: it tells topics at the second look, in times of its own clock. */
class FakeCloudWatch {
  readonly alarms = new Map<string, FakeAlarm>();
  readonly calls: string[] = [];
  /** What an action comes to, by its topic. Default: it succeeds. */
  readonly outcomes = new Map<string, 'fails' | 'never comes'>();
  /** How many calls are refused as too many. */
  throttles = 0;
  private readonly history = new Map<string, HistoryItem[]>();
  private readonly coming = new Map<string, HistoryItem[]>();
  private time = 1_000;

  constructor(names: readonly string[]) {
    for (const name of names) {
      const AlarmDescription = `It is so. Runbook: docs/how-to/alarms.md#${name.toLowerCase()}`;
      this.alarms.set(`own-test-${name}`, {
        ...{ AlarmName: `own-test-${name}`, AlarmDescription, AlarmActions: [TOPIC], StateValue: 'OK' },
      });
      // It has told the topic before.
      this.history.set(`own-test-${name}`, [this.told(TOPIC)]);
    }
  }

  readonly call = async (name: string, input: object): Promise<Record<string, unknown>> => {
    if (this.throttles > 0) {
      this.throttles -= 1;
      throw new StoreError('retryable', 'ThrottlingException', 'Too many.', '');
    }
    const { AlarmName = '', AlarmNamePrefix, StateValue, NextToken } = input as Record<string, string>;
    this.calls.push(StateValue === undefined ? name : `${AlarmName} ${StateValue}`);
    if (name === 'DescribeAlarms') {
      const all = [...this.alarms.values()].filter((alarm) => alarm.AlarmName.startsWith(AlarmNamePrefix!));
      // In pages of two.
      const from = Number(NextToken ?? 0);
      const more = all.length > from + 2 && { NextToken: String(from + 2) };
      return { MetricAlarms: all.slice(from, from + 2), ...more };
    }
    const alarm = this.alarms.get(AlarmName)!;
    if (name === 'SetAlarmState') {
      alarm.StateValue = StateValue!;
      const topics = StateValue === 'ALARM' ? alarm.AlarmActions : [];
      const items = topics.filter((topic) => this.outcomes.get(topic) !== 'never comes').map((one) => this.told(one));
      this.coming.set(AlarmName, items);
      return {};
    }
    const before = this.history.get(AlarmName) ?? [];
    this.history.set(AlarmName, [...(this.coming.get(AlarmName) ?? []), ...before]);
    this.coming.delete(AlarmName);
    return { AlarmHistoryItems: before };
  };

  private told(topic: string): HistoryItem {
    this.time += 1;
    const does = this.outcomes.get(topic) === 'fails' ? 'Failed to execute' : 'Successfully executed';
    return { Timestamp: this.time, HistorySummary: `${does} action ${topic}` };
  }
}

const stack = 'own-test';
const wait = async (): Promise<void> => {};

describe('a drill', () => {
  it('sets each alarm, waits until it has told its topic, and clears it', async () => {
    const service = new FakeCloudWatch(['IteratorAge', 'Drift', 'DeadLetters']);
    const onAlarm = vi.fn();
    const drilled = await drill({ call: service.call, stack, wait, onAlarm });
    expect(drilled.map(({ alarm, outcome }) => [alarm, outcome])).toEqual([
      ['own-test-IteratorAge', 'told'],
      ['own-test-Drift', 'told'],
      ['own-test-DeadLetters', 'told'],
    ]);
    expect(drilled[0]).toMatchObject({
      topics: [TOPIC],
      description: 'It is so. Runbook: docs/how-to/alarms.md#iteratorage',
    });
    expect(onAlarm).toHaveBeenCalledTimes(3);
    expect(service.calls.filter((call) => call.startsWith('own-test-Drift'))).toEqual([
      'own-test-Drift ALARM',
      'own-test-Drift OK',
    ]);
  });
  it('says of an alarm whether CloudWatch failed to tell it, or nobody was told; each is cleared', async () => {
    const service = new FakeCloudWatch(['One', 'Two']);
    service.alarms.get('own-test-One')!.AlarmActions = [TOPIC, `${TOPIC}-gone`];
    service.alarms.get('own-test-Two')!.AlarmActions = [`${TOPIC}-silent`];
    service.outcomes.set(`${TOPIC}-gone`, 'fails').set(`${TOPIC}-silent`, 'never comes');
    const drilled = await drill({ call: service.call, stack, wait });
    expect(drilled.map(({ outcome }) => outcome)).toEqual(['failed', 'silent']);
    expect([...service.alarms.values()].map(({ StateValue }) => StateValue)).toEqual(['OK', 'OK']);
  });
  it('leaves an alarm alone that rings for a fault, and alarms that tell nobody', async () => {
    const service = new FakeCloudWatch(['One', 'Two', 'DeploymentErrors-1']);
    service.alarms.get('own-test-One')!.StateValue = 'ALARM';
    service.alarms.get('own-test-DeploymentErrors-1')!.AlarmActions = [];
    const drilled = await drill({ call: service.call, stack, wait });
    expect(drilled.map(({ outcome }) => outcome)).toEqual(['rings', 'told']);
    expect(service.alarms.get('own-test-One')!.StateValue).toBe('ALARM');
  });
  it('leaves an alarm alone that rings because its metric has stopped', async () => {
    const service = new FakeCloudWatch(['NotPolled', 'Drift']);
    service.alarms.get('own-test-NotPolled')!.StateValue = 'INSUFFICIENT_DATA';
    service.alarms.get('own-test-NotPolled')!.InsufficientDataActions = [TOPIC];
    // Without such an action the state tells nobody.
    service.alarms.get('own-test-Drift')!.StateValue = 'INSUFFICIENT_DATA';
    const drilled = await drill({ call: service.call, stack, wait });
    expect(drilled.map(({ outcome }) => outcome)).toEqual(['rings', 'told']);
    expect(service.alarms.get('own-test-NotPolled')!.StateValue).toBe('INSUFFICIENT_DATA');
  });
  it('leaves out alarms of other stacks, and alarms that do more than to tell', async () => {
    const service = new FakeCloudWatch(['Drift', 'eu-Drift', 'api-cpu', 'Cpu', 'Back', 'Gone']);
    const terminate = 'arn:aws:automate:eu-central-1:ec2:terminate';
    service.alarms.get('own-test-Cpu')!.AlarmActions = [TOPIC, terminate];
    service.alarms.get('own-test-Back')!.OKActions = [terminate];
    service.alarms.get('own-test-Gone')!.InsufficientDataActions = [terminate];
    const drilled = await drill({ call: service.call, stack, wait });
    expect(drilled.map(({ alarm }) => alarm)).toEqual(['own-test-Drift']);
    expect(service.calls.filter((call) => call.endsWith(' ALARM'))).toEqual(['own-test-Drift ALARM']);
    await expect(drill({ call: service.call, stack, only: ['api-cpu'], wait })).rejects.toThrow('no alarm api-cpu');
  });
  it('clears an alarm also where a look at it fails', async () => {
    const service = new FakeCloudWatch(['One']);
    let looks = 0;
    const call: typeof service.call = async (name, input) => {
      if (name === 'DescribeAlarmHistory' && ++looks === 2) throw new StoreError('fatal', 'AccessDenied', 'No.', '');
      return await service.call(name, input);
    };
    await expect(drill({ call, stack, wait })).rejects.toThrow('No.');
    expect(service.calls.at(-1)).toBe('own-test-One OK');
  });
  it('waits where CloudWatch refuses calls because there are too many', async () => {
    const service = new FakeCloudWatch(['One']);
    service.throttles = 5;
    expect(await drill({ call: service.call, stack, wait })).toMatchObject([{ outcome: 'told' }]);
  });
  it('refuses a stack without alarms, and an alarm that the stack does not have', async () => {
    const service = new FakeCloudWatch(['One']);
    await expect(drill({ call: service.call, stack: 'other', wait })).rejects.toThrow('The stack other has no alarm');
    await expect(drill({ call: service.call, stack, only: ['One', 'Tow'], wait })).rejects.toThrow('no alarm Tow');
  });
});

describe('edgeloom drill', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  });

  /** Runs the command against CloudWatch's JSON protocol; gives what it prints. */
  async function run(service: FakeCloudWatch, ...args: string[]): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const [target, call] = String(request.headers['x-amz-target']).split('.');
      expect(target).toBe('GraniteServiceVersion20100801');
      expect(request.headers['content-type']).toBe('application/x-amz-json-1.0');
      expect(request.headers['authorization']).toContain('/eu-central-1/monitoring/aws4_request');
      response.end(JSON.stringify(await service.call(call!, JSON.parse(body))));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const environment = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const printed: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    });
    const program = new Command().option('--json');
    drillCommand(program.command('drill'));
    await program.parseAsync(['node', 'edgeloom', 'drill', '--stack', stack, ...args]);
    return printed.join('');
  }

  it('with --dry-run lists alarms, topics and runbooks, and sets nothing', async () => {
    const service = new FakeCloudWatch(['IteratorAge', 'Drift']);
    const text = await run(service, '--dry-run');
    expect(text).toMatch(/own-test-IteratorAge +planned +own-test-alarms +docs\/how-to\/alarms.md#iteratorage/);
    expect(service.calls).toEqual(['DescribeAlarms']);
    expect(JSON.parse(await run(service, '--dry-run', '--json'))).toMatchObject({ dryRun: true, told: 0 });
  });
  it('counts an alarm that rings not as told', async () => {
    const service = new FakeCloudWatch(['Drift']);
    service.alarms.get('own-test-Drift')!.StateValue = 'ALARM';
    expect(await run(service)).toContain('0 alarms of 1 told');
  });
  it('tells whether each was told, for people and for machines, and fails where one was not', async () => {
    const service = new FakeCloudWatch(['IteratorAge', 'Drift']);
    const document = JSON.parse(await run(service, '--alarm', 'Drift', '--json'));
    expect(document).toMatchObject({ told: 1, alarms: [{ alarm: 'own-test-Drift', outcome: 'told' }] });
    expect(process.exitCode).toBeUndefined();
    service.outcomes.set(TOPIC, 'fails');
    expect(await run(service, '--alarm', 'Drift')).toContain('0 alarms of 1 told');
    expect(process.exitCode).toBe(1);
  });
});
