import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { ModelError } from '../../src/foundation/errors.ts';
import { TENANTS_MUTANTS } from '../simulator/packs/tenants/planted.ts';
import { runTenants } from '../simulator/packs/tenants/schedule.ts';
import { ROOT } from '../simulator/planted/marks.ts';
import { isPart, plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';
import { SIZES } from '../support/sizes.ts';
import { type Policy, TENANT_POLICY } from '../support/tenant-policy.ts';

/** `npm run simulate -- tenants --runs 20000` runs more of them. */
const RUNS = runs(SIZES.tenants);

/** Whether one of 400 attacks with a policy changes or learns something, those from a seed on first. */
async function showsHarm(policy: Policy, first: number): Promise<boolean> {
  for (let i = 0; i < 400; i++)
    if ((await runTenants(1 + ((first + i - 1) % 400), undefined, policy)).length > 0) return true;
  return false;
}

function mistakesOf(input: object): string[] {
  try {
    defineGraph(input as never);
    return [];
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.mistakes.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('a producer whose policy binds it to the prefix of its tenant', () => {
  it('changes nothing outside of it, and learns nothing from it, whatever it writes', async () => {
    await rightSchedules('tenants', { first: 1, count: RUNS });
  });

  it('has the policy that SECURITY.md shows', () => {
    const blocks = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').matchAll(/```json\n(.*?)\n```/gs);
    expect([...blocks].map(([, json]) => JSON.parse(json!) as unknown)).toEqual([TENANT_POLICY]);
  });

  it('fills no native list of another tenant, since a model with tenants has none', () => {
    const lists = [
      { nodes: { USER: node({ search: { mail: { native: true } } }) } },
      {
        nodes: { USER: node() },
        edges: {
          PAYS: edge({
            ...{
              from: 'USER',
              to: 'USER',
              inbound: { native: true, orders: { since: 'since', by: number('amount') } },
            },
          }),
        },
      },
    ];
    const mistakes = lists.flatMap((list) => {
      const named = { table: 'records', ...list } as never;
      expect(defineGraph(named)).toBeDefined();
      return mistakesOf({ ...(named as object), tenantSeparator: '.' });
    });
    expect(mistakes).toEqual(
      ['nodes.USER.search.mail', 'edges.PAYS.inbound.orders.since', 'edges.PAYS.inbound.orders.by'].map(
        (path) =>
          `${path}: is native, in a model with tenantSeparator: every tenant could fill the list. Leave out native`,
      ),
    );
  });

  it.each([
    ['gsi0pk', 1],
    ['edgeSet', 157],
  ])('does harm with a policy that lets it write %s', async (attribute, first) => {
    const statements = TENANT_POLICY.Statement.map((statement) => {
      const denied = statement.Condition['ForAnyValue:StringEquals']?.['dynamodb:Attributes'];
      if (denied === undefined) return statement;
      // An item is in an index by both of its keys.
      const left = [denied].flat().filter((name) => name.slice(0, 4) !== attribute.slice(0, 4));
      return { ...statement, Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': left } } };
    });
    expect(await showsHarm({ ...TENANT_POLICY, Statement: statements }, first)).toBe(true);
  });

  it.skipIf(isPart).each(plantedBugs(TENANTS_MUTANTS))(
    'does harm with a planted bug: $name ($rule)',
    async (mutant) => {
      expect(await isFound(mutant, { pack: 'tenants', schedules: 2_000 })).toBe(true);
    },
  );
});
