import { CHECK_MACHINE, DEAD_LETTER_QUEUE, MIRROR_DEAD_LETTER_QUEUE, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allow, attribute, ownArn as own, ref, type Statement } from '../base/template.ts';

/** Returns the rights that runbooks need in addition to those on the table. */
export function operationStatements({ names, functions }: Site): Statement[] {
  const execution = `execution:${names.local('check')}`;
  const queues = [SCHEDULE_DEAD_LETTER_QUEUE, ...(functions.includes('mirror') ? [MIRROR_DEAD_LETTER_QUEUE] : [])];
  return [
    allow('states:ListExecutions StartExecution', ref(CHECK_MACHINE)),
    allow(
      'states:DescribeExecution GetExecutionHistory ListMapRuns RedriveExecution StopExecution',
      // Names of the distributed map's children contain its label.
      ...[own('states', `${execution}:*`), own('states', `${execution}/*:*`)],
    ),
    allow('states:DescribeMapRun', own('states', `mapRun:${names.local('check')}/*:*`)),
    // For enabling a disabled mapping again. The resource can't be narrower, because mappings have no names.
    allow('lambda:ListEventSourceMappings', '*'),
    {
      ...allow('lambda:UpdateEventSourceMapping', own('lambda', 'event-source-mapping:*')),
      Condition: { ArnLike: { 'lambda:FunctionArn': own('lambda', `function:${names.local('*')}`) } },
    },
    allow('cloudformation:DescribeStackEvents DescribeStacks', own('cloudformation', `stack/\${AWS::StackName}/*`)),
    allow(
      'logs:DescribeLogStreams FilterLogEvents GetLogEvents StartQuery',
      own('logs', `log-group:/aws/lambda/${names.local('*')}`),
    ),
    // These actions cannot be limited to resources.
    allow('cloudwatch:DescribeAlarms GetMetricData ListMetrics', '*'),
    // For drills and for silencing alarms.
    allow(
      'cloudwatch:DescribeAlarmHistory DisableAlarmActions EnableAlarmActions SetAlarmState',
      own('cloudwatch', `alarm:${names.local('*')}`),
    ),
    allow('logs:DescribeLogGroups GetQueryResults', '*'),
    allow('events:DescribeRule EnableRule', own('events', `rule/${names.local('*')}`)),
    allow('sqs:CancelMessageMoveTask ListMessageMoveTasks StartMessageMoveTask', attribute(DEAD_LETTER_QUEUE)),
    allow('sqs:DeleteMessage GetQueueAttributes ReceiveMessage', ...queues.map((queue) => attribute(queue))),
  ];
}
