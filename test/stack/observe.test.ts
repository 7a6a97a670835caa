import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { frameworkStack, stackFixtures } from '../../src/deployment/stack/stack.ts';
import { parametersOf, testSite, testStack } from '../support/stack/parameters.ts';
import { roleStatements } from '../support/stack/statements.ts';
import type { TemplateResource } from '../support/stack/template.ts';

/** The observer's function, which a stack has where its parameter `observe` asks for it. */

const model = await loadModel('edgeloom.config.ts');
const withObserver = testStack(model, { observe: true }).Resources as Record<string, TemplateResource>;
const without = testStack(model).Resources as Record<string, TemplateResource>;
const own = Object.keys(withObserver).filter((id) => !(id in without));

describe('a stack with an observer', () => {
  it('has its function, role, log and schedule and three alarms more than one without, and nothing else', () => {
    expect(own.sort()).toEqual(
      [
        ...['ObserveEventsRuleSchedule1', 'ObserveLambdaFunction', 'ObserveLambdaPermissionEventsRuleSchedule1'],
        ...['ObserveLogGroup', 'ObserveRole', 'ObserveErrorsAlarm', 'ObserveThrottlesAlarm'],
        ...['ObservedDriftAlarm', 'ObserverMissingAlarm', 'UnverifiedAlarm'],
      ].sort(),
    );
  });

  it('calls the function every minute, whose calls end before they would be killed', () => {
    expect(withObserver['ObserveEventsRuleSchedule1']!.Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [{ Arn: { 'Fn::GetAtt': ['ObserveLambdaFunction', 'Arn'] } }],
    });
    const { Timeout, Handler, Environment } = withObserver['ObserveLambdaFunction']!.Properties;
    expect(Handler).toBe('handlers/observe.handler');
    expect(Environment.Variables).toHaveProperty('EDGELOOM_STREAM_ARN');
    // A call works for 50 seconds, and keeps 10 for its end.
    expect(Timeout).toBeGreaterThanOrEqual(60);
  });

  it('lets the function read table and stream, and write the own partition of the programs alone', () => {
    const writes = roleStatements(withObserver['ObserveRole']!).filter(({ Action }) =>
      [Action].flat().some((action) => /Put|Update|Delete|BatchWrite/.test(action) && action.startsWith('dynamodb:')),
    );
    expect(writes).toMatchObject([
      {
        Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['~edgeloom'] } },
      },
    ]);
  });

  it('rings after a quarter of an hour, at the first drift, and when the observer stops', () => {
    expect(withObserver['UnverifiedAlarm']!.Properties).toMatchObject({
      ...{ MetricName: 'VerifiedAgeSeconds', Statistic: 'Maximum', Threshold: 900, EvaluationPeriods: 1 },
    });
    expect(withObserver['ObservedDriftAlarm']!.Properties).toMatchObject({
      ...{ MetricName: 'ObservedDrift', Threshold: 1, EvaluationPeriods: 1 },
    });
    expect(withObserver['ObserverMissingAlarm']!.Properties).toHaveProperty('InsufficientDataActions');
  });

  it('has a section on each of its alarms in the documentation, and pays for them in the cost', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/explain/observing.md'), 'utf8');
    for (const id of own) if (id.endsWith('Alarm')) expect(page).toContain(`\`${id.replace(/Alarm$/, '')}\``);
    const [before, after] = [stackFixtures(model), stackFixtures(model, { observe: true })];
    expect(after.alarms - before.alarms).toBe(own.filter((id) => id.endsWith('Alarm')).length);
    expect(after.metrics - before.metrics).toBe(2);
  });

  it('has the function for the Serverless Framework too', () => {
    const stack = (more: object) =>
      frameworkStack({ model, service: 'own', stage: 'test', parameters: parametersOf({ ...more }) });
    expect(Object.keys(stack({ observe: true }).functions)).toContain('observe');
    expect(Object.keys(stack({}).functions)).not.toContain('observe');
    expect(testSite(model, { observe: 'true' }).parameters.observe).toBe(true);
  });
});
