import { describe, expect, it } from 'vitest';
import { howTo, OPERATOR_PAGES } from '../support/how-to.ts';
import { template } from '../support/stack/template.ts';

/** The policy of operators against the page that tells them what to do: each command and each step in a console. */

const PAGE = howTo(OPERATOR_PAGES);

/** The page says that these sections need the role that deploys. */
const OF_THE_DEPLOYER = [
  ...[
    'A deployment failed',
    'A first deployment failed',
    'A first deployment by another tool failed',
    'A table and a bucket of an older stack are in the way',
  ],
  ...['Restore from a backup', 'Roll a deployment back'],
];

/** Commands of `aws` whose service has another name in policies. */
const SERVICES: Record<string, string> = { stepfunctions: 'states' };

/** Steps in a console, by the words of the page, and the actions that they take. */
const STEPS: Record<string, string[]> = {
  "Look up the reason in the function's log": ['logs:FilterLogEvents', 'logs:DescribeLogStreams', 'logs:GetLogEvents'],
  'Its log names the cause': ['logs:DescribeLogGroups', 'logs:StartQuery', 'logs:GetQueryResults'],
  'look at the `IteratorAge` alarm': [
    'cloudwatch:GetMetricData',
    'cloudwatch:ListMetrics',
    'cloudwatch:DescribeAlarms',
  ],
  'start a "DLQ redrive" in SQS': ['sqs:StartMessageMoveTask', 'sqs:ListMessageMoveTasks', 'sqs:SendMessage'],
  'the attribute `ERROR_CODE` of the message': ['sqs:ReceiveMessage'],
  'delete the message': ['sqs:DeleteMessage'],
  'The execution shows which worker failed': [
    ...['states:DescribeExecution', 'states:GetExecutionHistory', 'states:ListMapRuns', 'states:DescribeMapRun'],
  ],
  'If you start a failed execution again': ['states:RedriveExecution'],
  'run `enable-alarm-actions` with the same name': ['cloudwatch:EnableAlarmActions'],
  'Enable the EventBridge rule `edgeloom-prod-redrive` again': ['events:EnableRule', 'events:DescribeRule'],
};

const allowed = new Set(
  (
    template().Resources['OperatorPolicy']!.Properties['PolicyDocument'].Statement as {
      Effect: string;
      Action: string | string[];
    }[]
  )
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action }) => Action),
);

/** The commands of a shell under each heading, that of the nearest one. */
function commands(): { heading: string; command: string }[] {
  let heading = '';
  return PAGE.split('\n').flatMap((line) => {
    heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
    return [...line.matchAll(/(?:^|`)(aws [a-z0-9]+ [a-z0-9-]+)/g)].map(([, command]) => ({
      heading,
      command: command!,
    }));
  });
}

function actionOf(command: string): string {
  const [, service = '', name = ''] = command.split(' ');
  const action = name.replace(/(^|-)([a-z])/g, (_match, _hyphen, letter: string) => letter.toUpperCase());
  return `${SERVICES[service] ?? service}:${action}`;
}

/**
 * What `edgeloom redrive` and `edgeloom drill` call, looks at stack and executions, and stopping what a step has started. Calls of the
 * table are tried in role-use.test.ts.
 */
const BESIDES = [
  ...[
    'cloudformation:DescribeStackEvents',
    'states:ListExecutions',
    'states:StopExecution',
    'sqs:CancelMessageMoveTask',
  ],
  ...['s3:DeleteObject', 's3:GetObject', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
  ...['sqs:SendMessage', 'cloudwatch:DescribeAlarmHistory', 'cloudwatch:DescribeAlarms', 'cloudwatch:SetAlarmState'],
];

describe('the policy of operators', () => {
  const own = commands().filter(({ heading }) => !OF_THE_DEPLOYER.includes(heading));

  it.each(own)('allows "$command" of "$heading"', ({ command }) => {
    expect(allowed).toContain(actionOf(command));
  });

  it('allows nothing else', () => {
    const asked = [...own.map(({ command }) => actionOf(command)), ...Object.values(STEPS).flat(), ...BESIDES];
    expect([...allowed].filter((action) => !action.startsWith('dynamodb:') && !asked.includes(action))).toEqual([]);
  });

  it.each(Object.entries(STEPS))('allows the step "%s"', (words, actions) => {
    // The page breaks lines anywhere.
    expect(PAGE.replace(/\s+/g, ' ')).toContain(words);
    for (const action of actions) expect(allowed).toContain(action);
  });
});
