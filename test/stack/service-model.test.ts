import { describe, expect, it } from 'vitest';
import { callProblems } from '../support/account/service-model.ts';

/** Calls of the command line of AWS against the services' own models. */

describe('a call', () => {
  it.each([
    ['cloudformation', 'describe-stacks', { StackName: 'a', Query: 'Stacks', Output: 'text' }],
    ['lambda', 'update-event-source-mapping', { Uuid: 'a', Enabled: false }],
    ['dynamodb', 'delete-item', { TableName: 'a', Key: { source: { S: 'a' }, target: { S: 'b' } } }],
    ['dynamodb', 'update-table', { TableName: 'a', StreamSpecification: { StreamEnabled: true } }],
    ['cloudformation', 'set-stack-policy', { StackName: 'a', StackPolicyBody: '{"Statement":[]}' }],
    ['cloudformation', 'set-stack-policy', { StackName: 'a', StackPolicyBody: { Statement: [] } }],
    ['stepfunctions', 'start-execution', { StateMachineArn: 'a', Input: { mode: 'check' } }],
  ])('%s %s is taken', (service, operation, input) => {
    expect(callProblems(service, operation, { Words: [], ...input })).toEqual([]);
  });
  it.each([
    ['dynamodb', 'describe-tables', {}, 'there is no operation describe-tables'],
    ['dynamodb', 'describe-table', {}, 'TableName is missing'],
    ['dynamodb', 'describe-table', { TableName: 'a', Tabel: 'b' }, 'there is no Tabel'],
    [
      'dynamodb',
      'update-table',
      { TableName: 'a', StreamSpecification: { Enabled: true } },
      'there is no StreamSpecification.Enabled',
    ],
    ['cloudwatch', 'get-metric-statistics', { Period: 'long' }, 'Period: "long" is not a number'],
    ['lambda', 'update-event-source-mapping', { Uuid: 'a', Enabled: 'no' }, 'Enabled: "no" is not a boolean'],
    ['s3', 'cp', { Words: ['a', 'b'], Recursiv: true }, 'there is no option Recursiv'],
    ['dynamodb', 'wait', { Words: ['table-there'], TableName: 'a' }, 'there is no waiter table-there'],
  ])('%s %s with %j is refused', (service, operation, input, problem) => {
    expect(callProblems(service, operation, { Words: [], ...input })).toContain(problem);
  });
});
