import { beforeEach, describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { STACK_POLICY } from '../../../src/deployment/stack/index.ts';
import { stackTemplate } from '../../../src/deployment/stack/stack.ts';
import { Account } from '../../support/account/account.ts';
import { Stacks } from '../../support/account/stacks.ts';
import { parametersOf } from '../../support/stack/parameters.ts';
import type { Template } from '../../support/stack/template.ts';

/** Deployments, changes and failures of stacks, on the simulator of CloudFormation. */

const NAME = 'own-prod';
const TABLE = 'AWS::DynamoDB::Table';

const model = (orders: { gsi0: string; gsi1?: string }, table = 'follows') =>
  defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { orders } }) },
  });
const graph = model({ gsi0: 'since', gsi1: 'until' });

const made = (more: Readonly<Record<string, unknown>> = {}, of: CompiledModel = graph, key = 'functions-1.zip') => {
  const input = { service: 'own', stage: 'prod', parameters: parametersOf(more) };
  return stackTemplate(of, { ...input, code: { S3Bucket: 'code', S3Key: key } }) as unknown as Template;
};

let account: Account;
let stacks: Stacks;
beforeEach(() => {
  account = new Account();
  stacks = new Stacks(account);
});

const table = (name = 'own-prod-follows') => account.find(TABLE, name);
const changed = (changes: readonly { id: string; action: string; isReplaced: boolean }[]): string[] =>
  changes.map(({ id, action, isReplaced }) => `${action}${isReplaced ? ' by another' : ''} ${id}`);

/** Deploys the stack with its policy, as the pages tell. */
async function deployed(template = made()): Promise<void> {
  await stacks.deploy(NAME, template);
  Object.assign(stacks.get(NAME), { policy: STACK_POLICY, isProtected: true });
}

describe('another table in the place of the own one', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records-restored';
  const restored = { existingTableArn: arn, existingStreamArn: `${arn}/stream/2026-05-01T00:00:00.000` };

  it('is denied by the policy of the stack, and deployed after the policy is opened; the old table stays', async () => {
    await deployed();
    await expect(stacks.deploy(NAME, made(restored))).rejects.toThrow(/RecordsTable: Action denied by stack policy/);
    stacks.get(NAME).policy = [{ Effect: 'Allow', Action: 'Update:*', Resource: '*' }];
    expect(changed(await stacks.deploy(NAME, made(restored)))).toContain('Remove RecordsTable');
    expect(table()).toMatchObject({ isManaged: false });
  });
});

describe('a change of the model', () => {
  it('never changes the table, whatever lists the models have', async () => {
    const indexed = (indexes: object | number, inbound: object) =>
      defineGraph({
        table: { name: 'follows', indexes },
        nodes: { USER: node({ view: 'ALL', search: { name: {}, mail: { native: true } } }) },
        edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: inbound as never }) },
      } as never) as CompiledModel;
    await deployed();
    for (const other of [
      model({ gsi0: 'since' }),
      indexed(4, { orders: { bySince: 'since', byUntil: 'until' } }),
      indexed({ gsi0: 'byTarget' }, { orders: { bySince: 'since' } }),
      indexed(2, { native: true, orders: { bySince: 'since', byUntil: 'until' } }),
      graph,
    ])
      expect(changed(await stacks.deploy(NAME, made({}, other)))).not.toContain('Modify RecordsTable');
  });
  it('that renames the table is denied by the policy; without a policy the new table would be empty', async () => {
    await deployed();
    const renamed = made({}, model({ gsi0: 'since', gsi1: 'until' }, 'followers'));
    await expect(stacks.deploy(NAME, renamed)).rejects.toThrow(/denied by stack policy/);
    stacks.get(NAME).policy = [{ Effect: 'Allow', Action: 'Update:*', Resource: '*' }];
    expect(changed(await stacks.deploy(NAME, renamed))).toContain('Modify by another RecordsTable');
    expect(table('own-prod-followers')).toBeDefined();
    expect(table()).toMatchObject({ isManaged: false });
  });
});

describe('other code', () => {
  it('is deployed where its place in the template is another, and not where it is the same', async () => {
    await deployed();
    expect(await stacks.deploy(NAME, made())).toEqual([]);
    expect(changed(await stacks.deploy(NAME, made({}, graph, 'functions-2.zip')))).toEqual(
      ['Stream', 'Check', 'Rebuild', 'Redrive'].map((name) => `Modify ${name}LambdaFunction`),
    );
  });
});
