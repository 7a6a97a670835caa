import { defineGraph, edge, node, number, type Reader } from '../../../src/index.ts';
import { fromOneTable } from '../../../src/sources/layouts/onetable.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { type MappedTable, numbers, query, sourcesOf } from './fixture.ts';

/** Accounts with users and invoices; an address is unique, which an item of its own guards. */

/** A value template as the library has it: each brace with a dollar before it. */
const template = (text: string): string => text.replaceAll('{', '\u0024{');

const SCHEMA = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: { primary: { hash: 'pk', sort: 'sk' }, gs1: { hash: 'gs1pk', sort: 'gs1sk' } },
  models: {
    Account: {
      ...{ pk: { type: 'string', value: template('account#{id}') }, sk: { type: 'string', value: 'account#' } },
      ...{ id: { type: 'string' }, name: { type: 'string' } },
    },
    User: {
      ...{
        pk: { type: 'string', value: template('account#{accountId}') },
        sk: { type: 'string', value: template('user#{email}') },
      },
      ...{ gs1pk: { type: 'string', value: template('user#{email}') }, gs1sk: { type: 'string', value: 'user#' } },
      ...{
        accountId: { type: 'string' },
        email: { type: 'string', unique: true },
        city: { type: 'string', map: 'address.city' },
      },
    },
    Invoice: {
      ...{
        pk: { type: 'string', value: template('account#{accountId}') },
        sk: { type: 'string', value: template('invoice#{number:6:0}') },
      },
      ...{ accountId: { type: 'string' }, number: { type: 'number' }, total: { type: 'number' } },
    },
  },
};

function items(random: Random): SourceItem[] {
  const accounts = numbers(3).map((i) => `a${i}`) as [string, ...string[]];
  return [
    ...accounts.map((id) => ({ pk: `account#${id}`, sk: 'account#', id, name: `Account ${id}`, _type: 'Account' })),
    ...numbers(12).flatMap((i) => {
      const [accountId, email] = [random.oneOf(accounts), `u${i}@example.org`];
      return [
        {
          ...{
            pk: `account#${accountId}`,
            sk: `user#${email}`,
            gs1pk: `user#${email}`,
            gs1sk: 'user#',
            accountId,
            email,
          },
          ...{ address: { city: random.oneOf(['Rome', 'Oslo']) }, _type: 'User' },
        },
        { pk: `_unique#User#email#${email}`, sk: '_unique#' },
      ];
    }),
    ...numbers(15).map((number) => {
      const accountId = random.oneOf(accounts);
      const sk = `invoice#${String(number).padStart(6, '0')}`;
      return { pk: `account#${accountId}`, sk, accountId, number, total: random.below(100), _type: 'Invoice' };
    }),
    { pk: 'account#a1', sk: 'audit#1', _type: 'Audit' },
    { pk: 'migration', sk: 'migration#1' },
  ];
}

/** OneTable, with guards of unique attributes. */
export const oneTable: MappedTable = {
  name: 'OneTable with unique guards',
  keys: { partitionKey: 'pk', sortKey: 'sk' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: {
        ACCOUNT: node({ view: 'ALL' }),
        USER: node({ view: 'ALL', search: { email: {}, city: { shards: 1 } } }),
        INVOICE: node({ view: 'ALL' }),
      },
      edges: {
        OF: edge({ from: 'USER', to: 'ACCOUNT', inbound: { orders: { gsi0: 'email' } } }),
        BILLS: edge({ from: 'INVOICE', to: 'ACCOUNT', inbound: { orders: { gsi0: number('number') } } }),
      },
    }),
  layout: fromOneTable(SCHEMA, [
    { model: 'Account', node: 'ACCOUNT' },
    {
      model: 'User',
      node: 'USER',
      id: ['email'],
      edges: [{ type: 'OF', to: { type: 'ACCOUNT', id: ['accountId'] }, attributes: ['email'] }],
    },
    {
      model: 'Invoice',
      node: 'INVOICE',
      edges: [{ type: 'BILLS', to: { type: 'ACCOUNT', id: ['accountId'] }, attributes: ['number'] }],
    },
  ]),
  items,
  reasons: ['it guards a unique attribute', 'the entity Audit is not declared', 'no attribute _type names its model'],
  questions: (all) => [
    ...['a1', 'a2', 'a3'].flatMap((account) => [
      {
        text: `the users of ${account}`,
        old: query(all, ['pk', 'sk'], `account#${account}`, 'user#').map(({ email }) => `USER-${email}`),
        ours: (reader: Reader) => sourcesOf(reader, 'OF', `ACCOUNT-${account}`),
      },
      {
        text: `the invoices of ${account}`,
        old: query(all, ['pk', 'sk'], `account#${account}`, 'invoice#').map(
          ({ number }) => `INVOICE-${account}.${number}`,
        ),
        ours: (reader: Reader) => sourcesOf(reader, 'BILLS', `ACCOUNT-${account}`),
      },
    ]),
    ...['u3@example.org', 'nobody@example.org'].map((email) => ({
      text: `the user with the address ${email}`,
      old: query(all, ['gs1pk', 'gs1sk'], `user#${email}`).map((item) => `USER-${item['email']}`),
      ours: async (reader: Reader) => (await reader.search('USER.email').equals(email)).items.map(({ id }) => id),
    })),
    {
      text: 'the users of Rome',
      old: all
        .filter((item) => Object(item['address']).city === 'Rome')
        .map(({ email }) => `USER-${email}`)
        .sort(),
      ours: async (reader: Reader) =>
        (await reader.search('USER.city').equals('Rome')).items.map(({ id }) => String(id)).sort(),
    },
  ],
};
