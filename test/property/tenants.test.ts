import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TENANTS_MUTANTS } from '../simulator/packs/tenants/planted.ts';
import { runTenants } from '../simulator/packs/tenants/schedule.ts';
import { ROOT } from '../simulator/planted/marks.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';
import { type Policy, TENANT_POLICY } from '../support/tenant-policy.ts';

/** `npm run simulate -- tenants --runs 20000` runs more of them. */
const RUNS = runs({ part: 30, whole: 150 });

/** Whether one of 400 attacks with a policy changes or learns something, those from a seed on first. */
async function showsHarm(policy: Policy, first: number): Promise<boolean> {
  for (let i = 0; i < 400; i++)
    if ((await runTenants(1 + ((first + i - 1) % 400), undefined, policy)).length > 0) return true;
  return false;
}

describe('a producer whose policy binds it to the prefix of its tenant', () => {
  it('changes nothing outside of it, and learns nothing from it, whatever it writes', async () => {
    await rightSchedules('tenants', { first: 1, count: RUNS });
  });

  it('has the policy that SECURITY.md shows', () => {
    const blocks = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').matchAll(/```json\n(.*?)\n```/gs);
    expect([...blocks].map(([, json]) => JSON.parse(json!) as unknown)).toEqual([TENANT_POLICY]);
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

  it.each(plantedBugs(TENANTS_MUTANTS))('does harm with a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'tenants', schedules: 2_000 })).toBe(true);
  });
});
