import {
  CHECK_MACHINE,
  DEAD_LETTER_QUEUE,
  functionsOf,
  MIRROR_DEAD_LETTER_QUEUE,
  SCHEDULE_DEAD_LETTER_QUEUE,
} from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, attribute, ownArn as own, ref, type Statement } from '../base/template.ts';

/**
 * The rights that the runbooks of docs/how-to need besides calls of the table: look at the stack, its logs, alarms and metrics, start
 * functions and schedules that have stopped, and send dead letters again.
 */
export function operationStatements({ names, parameters }: Site): Statement[] {
  const execution = `execution:${names.local('check')}`;
  return [
    allow(['states:ListExecutions', 'states:StartExecution'], [ref(CHECK_MACHINE)]),
    allow(
      [
        ...['states:DescribeExecution', 'states:GetExecutionHistory', 'states:ListMapRuns'],
        ...['states:RedriveExecution', 'states:StopExecution'],
      ],
      // Children of the distributed map have its label in their names.
      [own('states', `${execution}:*`), own('states', `${execution}/*:*`)],
    ),
    allow(['states:DescribeMapRun'], [own('states', `mapRun:${names.local('check')}/*:*`)]),
    // A mapping that is disabled is enabled again. ListEventSourceMappings has no resources, and mappings have no names.
    allow(['lambda:ListEventSourceMappings'], ['*']),
    {
      ...allow(['lambda:UpdateEventSourceMapping'], [own('lambda', 'event-source-mapping:*')]),
      Condition: { ArnLike: { 'lambda:FunctionArn': own('lambda', `function:${names.local('*')}`) } },
    },
    allow(
      ['cloudformation:DescribeStackEvents', 'cloudformation:DescribeStacks'],
      [own('cloudformation', `stack/\${AWS::StackName}/*`)],
    ),
    allow(
      ['logs:DescribeLogStreams', 'logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:StartQuery'],
      [own('logs', `log-group:/aws/lambda/${names.local('*')}`)],
    ),
    // These have no resources, or only those of all alarms.
    allow(['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'cloudwatch:ListMetrics'], ['*']),
    // A drill of the alarms, and silencing them for a while.
    allow(
      ['DescribeAlarmHistory', 'DisableAlarmActions', 'EnableAlarmActions', 'SetAlarmState'].map(
        (action) => `cloudwatch:${action}`,
      ),
      [own('cloudwatch', `alarm:${names.local('*')}`)],
    ),
    allow(['logs:DescribeLogGroups', 'logs:GetQueryResults'], ['*']),
    allow(['events:DescribeRule', 'events:EnableRule'], [own('events', `rule/${names.local('*')}`)]),
    // "Start DLQ redrive" in SQS's console.
    allow(
      ['sqs:CancelMessageMoveTask', 'sqs:ListMessageMoveTasks', 'sqs:StartMessageMoveTask'],
      [attribute(DEAD_LETTER_QUEUE)],
    ),
    allow(
      ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      [
        attribute(SCHEDULE_DEAD_LETTER_QUEUE),
        ...(functionsOf(parameters).includes('mirror') ? [attribute(MIRROR_DEAD_LETTER_QUEUE)] : []),
      ],
    ),
  ];
}
