import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import model from '../../edgeloom.config.ts';
import { readPrices } from '../../packages/cost/prices.ts';
import { PARAMETER_NAMES, readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { stackFixtures } from '../../src/deployment/stack/stack.ts';
import { rawTemplate } from '../support/stack/template.ts';

/** The page on deploying names what there is, and nothing else. */

const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/deploying.md'), 'utf8');

/** The rows of the table under a heading, cell by cell. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

describe('docs/how-to/deploying.md', () => {
  it('names parameters that there are; docs/reference/parameters.md has all of them', () => {
    const documented = rows('Parameters').flatMap(([cell]) => names(cell!));
    expect(documented.length).toBeGreaterThan(10);
    expect(documented.filter((name) => !PARAMETER_NAMES.includes(name))).toEqual([]);
  });
  it('has every resource of the stack, why it is there and what it costs at rest', () => {
    const documented = rows('What is deployed');
    const made = Object.keys(rawTemplate().Resources).filter((id) => !/Alarm$|^ServerlessDeploymentBucket/.test(id));
    expect(
      documented
        .flatMap(([cell]) => names(cell!))
        .filter((name) => name !== '...Alarm')
        .sort(),
    ).toEqual(made.sort());
    for (const [, why, cost] of documented) {
      expect(why!.length).toBeGreaterThan(5);
      expect(cost).toMatch(/^\d/);
    }
  });
});

describe('the pages of docs/how-to', () => {
  const folder = resolve(import.meta.dirname, '../../docs/how-to');
  const pages = readdirSync(folder).map((name) => [name, readFileSync(resolve(folder, name), 'utf8')] as const);
  const defaults: Readonly<Record<string, unknown>> = { ...parametersOf('prod') };

  it('give the defaults of parameters as they are', () => {
    const said = pages.flatMap(([name, text]) =>
      [...text.matchAll(/(\d+) (\w+)\s+\(`(\w+)`\)|`(\w+)`\s+\((\d+)(?: (\w+))?/g)]
        .map(([, before, unitBefore, last, first, after, unitAfter]) => ({
          ...{ name, parameter: first ?? last!, figure: Number(after ?? before), unit: unitAfter ?? unitBefore },
        }))
        .filter(({ parameter }) => parameter in defaults)
        .map(({ unit, figure, ...one }) => {
          const times = unit === 'hours' && /Seconds$/.test(one.parameter) ? 3_600 : 1;
          return { ...one, value: figure * times };
        }),
    );
    expect(said.length).toBeGreaterThan(3);
    for (const { name, parameter, value } of said) expect(value, `${name}: ${parameter}`).toBe(defaults[parameter]);
  });

  it('say how the stages dev and local differ', () => {
    const [{ logLevel, logRetentionDays }, local] = [parametersOf('dev'), parametersOf('local')];
    expect(page.replace(/\s+/g, ' ')).toContain(
      `logs at \`${logLevel}\` level and keeps logs for ${logRetentionDays} days`,
    );
    expect(parametersOf('dev')).toMatchObject({
      pointInTimeRecovery: false,
      deletionProtection: false,
      keepData: false,
    });
    expect(page.replace(/\s+/g, ' ')).toContain(`batches of ${local.batchSize.toLocaleString('en')} records`);
  });

  it('have the prices of assets/prices.json, and no others', () => {
    const { cloudwatch, dynamodb, currency } = readPrices(undefined, undefined);
    const atRest = new Map(rows('What is deployed').map(([cell, , cost]) => [names(cell!)[0], cost]));
    expect(currency).toBe('USD');
    expect(atRest.get('...Alarm')).toBe(`${cloudwatch.alarmMonth.toFixed(2)} a metric`);
    expect(atRest.get('Dashboard')).toBe(String(cloudwatch.dashboardMonth));
    expect(atRest.get('RecordsTable')).toBe(`0; ${dynamodb.gigabyteMonth} a GB`);
    expect(page).toContain(`Each CloudWatch metric costs ${cloudwatch.metricMonth.toFixed(2)}`);
    const { alarms, metrics } = stackFixtures(model);
    const usd = [alarms * cloudwatch.alarmMonth, metrics * cloudwatch.metricMonth, cloudwatch.dashboardMonth];
    const [ofAlarms, ofMetrics, ofDashboard] = usd.map((one) => one.toFixed(2));
    expect(page.replace(/\s+/g, ' ')).toContain(
      `${ofAlarms} for alarms (${alarms} metrics at ${cloudwatch.alarmMonth.toFixed(2)} each), ${ofMetrics} for the ${metrics} custom metrics that the functions write to CloudWatch, ${ofDashboard} for the dashboard`,
    );
    const rest = rows('What is deployed').reduce(
      (sum, [, , cost]) => sum + (/^0\.\d+$/.test(cost!) ? Number(cost) : 0),
      0,
    );
    const total = Math.round(usd.reduce((sum, one) => sum + one, rest));
    expect(page).toContain(`about ${total} US dollars a month`);
  });
});

function parametersOf(stage: string) {
  return readParameters({ stage });
}
