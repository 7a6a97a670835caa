import { CHECK_MACHINE, DEAD_LETTER_QUEUE, MIRROR_DEAD_LETTER_QUEUE, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Site } from '../base/site.ts';
import { allowOf, attribute, ownArn as own, ref, type Statement } from '../base/template.ts';

/** What the runbooks need besides calls of the table. */
export function operationStatements({ names, functions }: Site): Statement[] {
  const execution = `execution:${names.local('check')}`;
  const queues = [SCHEDULE_DEAD_LETTER_QUEUE, ...(functions.includes('mirror') ? [MIRROR_DEAD_LETTER_QUEUE] : [])];
  return [
    allowOf('states', 'ListExecutions StartExecution', ref(CHECK_MACHINE)),
    allowOf(
      'states',
      'DescribeExecution GetExecutionHistory ListMapRuns RedriveExecution StopExecution',
      // Children of the distributed map have its label in their names.
      ...[own('states', `${execution}:*`), own('states', `${execution}/*:*`)],
    ),
    allowOf('states', 'DescribeMapRun', own('states', `mapRun:${names.local('check')}/*:*`)),
    // A disabled mapping is enabled again. Mappings have no names.
    allowOf('lambda', 'ListEventSourceMappings', '*'),
    {
      ...allowOf('lambda', 'UpdateEventSourceMapping', own('lambda', 'event-source-mapping:*')),
      Condition: { ArnLike: { 'lambda:FunctionArn': own('lambda', `function:${names.local('*')}`) } },
    },
    allowOf(
      'cloudformation',
      'DescribeStackEvents DescribeStacks',
      own('cloudformation', `stack/\${AWS::StackName}/*`),
    ),
    allowOf(
      'logs',
      'DescribeLogStreams FilterLogEvents GetLogEvents StartQuery',
      own('logs', `log-group:/aws/lambda/${names.local('*')}`),
    ),
    // These have no resources.
    allowOf('cloudwatch', 'DescribeAlarms GetMetricData ListMetrics', '*'),
    // Drills, and silencing alarms.
    allowOf(
      'cloudwatch',
      'DescribeAlarmHistory DisableAlarmActions EnableAlarmActions SetAlarmState',
      own('cloudwatch', `alarm:${names.local('*')}`),
    ),
    allowOf('logs', 'DescribeLogGroups GetQueryResults', '*'),
    allowOf('events', 'DescribeRule EnableRule', own('events', `rule/${names.local('*')}`)),
    allowOf('sqs', 'CancelMessageMoveTask ListMessageMoveTasks StartMessageMoveTask', attribute(DEAD_LETTER_QUEUE)),
    allowOf('sqs', 'DeleteMessage GetQueueAttributes ReceiveMessage', ...queues.map((queue) => attribute(queue))),
  ];
}
