import { defineGraph, edge, node } from '../../../src/index.ts';
import { fromElectroDB } from '../../../src/sources/layouts/electrodb.ts';
import type { SourceItem } from '../../../src/sources/source.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { type MappedTable, numbers, query, sourcesOf } from './fixture.ts';

/** A version-control service: users, repositories, issues and stars, in collections and a cluster. */

const text = { type: 'string', required: true };
/** The schemas of its entities. */
const SCHEMAS = {
  user: {
    model: { entity: 'user', version: '1', service: 'vcs' },
    attributes: { username: text, fullName: { type: 'string', field: 'fn' } },
    indexes: {
      user: {
        collection: 'overview',
        pk: { composite: ['username'], field: 'pk' },
        sk: { composite: [], field: 'sk' },
      },
    },
  },
  repo: {
    model: { entity: 'repository', version: '1', service: 'vcs' },
    attributes: { repoOwner: text, repoName: text, about: { type: 'string' } },
    indexes: {
      repositories: { pk: { composite: ['repoOwner'], field: 'pk' }, sk: { composite: ['repoName'], field: 'sk' } },
    },
  },
  issue: {
    model: { entity: 'issue', version: '2', service: 'vcs' },
    attributes: { issueNumber: text, repoOwner: text, repoName: text, username: text, subject: text },
    indexes: {
      created: {
        collection: ['owned'],
        index: 'gsi1',
        pk: { composite: ['username'], field: 'gsi1pk' },
        sk: { composite: [], field: 'gsi1sk' },
      },
      issues: {
        type: 'clustered',
        collection: 'activity',
        index: 'gsi2',
        pk: { composite: ['repoOwner', 'repoName'], field: 'gsi2pk' },
        sk: { composite: ['issueNumber'], field: 'gsi2sk' },
      },
      issue: {
        pk: { composite: ['issueNumber', 'repoOwner', 'repoName'], field: 'pk' },
        sk: { composite: [], field: 'sk' },
      },
    },
  },
  star: {
    model: { entity: 'star', version: '1', service: 'vcs' },
    attributes: { repoOwner: text, repoName: text, username: text, at: text },
    indexes: {
      stars: {
        pk: { composite: ['repoOwner', 'repoName'], field: 'pk' },
        sk: { composite: ['username'], field: 'sk' },
      },
    },
  },
};

/** A repository, as other entities name it. */
const REPO = { type: 'REPO', id: ['repoOwner', 'repoName'] };
/** A user, as other entities name it. */
const USER = { type: 'USER', id: ['username'] };

const named = (entity: string, version: string) => ({ __edb_e__: entity, __edb_v__: version });

function items(random: Random): SourceItem[] {
  const users = numbers(4).map((i) => `user${i}`) as [string, ...string[]];
  const repos = numbers(5).map((i) => ({ repoOwner: random.oneOf(users), repoName: `repo.${i}` }));
  const ofRepo = ({ repoOwner, repoName }: (typeof repos)[number]) =>
    `$vcs#repoowner_${repoOwner}#reponame_${repoName}`;
  return [
    ...users.map((username) => ({
      pk: `$vcs#username_${username}`,
      sk: '$overview#user_1',
      username,
      fn: `Full ${username}`,
      ...named('user', '1'),
    })),
    ...repos.map((repo) => ({
      pk: `$vcs#repoowner_${repo.repoOwner}`,
      sk: `$repository_1#reponame_${repo.repoName}`,
      ...repo,
      ...named('repository', '1'),
    })),
    ...numbers(20).map((i) => {
      const repo = random.oneOf(repos as [(typeof repos)[number]]);
      const [issueNumber, username] = [String(i).padStart(4, '0'), random.oneOf(users)];
      return {
        ...{
          pk: `$vcs#issuenumber_${issueNumber}${ofRepo(repo).slice(4)}`,
          sk: '$issue_2',
          ...repo,
          issueNumber,
          username,
        },
        ...{ gsi1pk: `$vcs#username_${username}`, gsi1sk: `$owned#issue_2`, subject: `Subject ${random.below(9)}` },
        ...{
          gsi2pk: ofRepo(repo),
          gsi2sk: `$activity#issuenumber_${issueNumber}#issue_2`,
          ...named('issue', random.chance(0.1) ? '1' : '2'),
        },
      };
    }),
    ...repos.flatMap((repo) =>
      users
        .filter(() => random.chance(0.5))
        .map((username) => ({
          pk: ofRepo(repo),
          sk: `$star_1#username_${username}`,
          ...repo,
          username,
          at: `2026-0${1 + random.below(9)}`,
          ...named('star', '1'),
        })),
    ),
    { pk: '$vcs#username_user1', sk: '$overview#subscription_1', username: 'user1', ...named('subscription', '1') },
  ];
}

/** ElectroDB, with collections and a cluster. */
export const electroDB: MappedTable = {
  name: 'ElectroDB with collections and clusters',
  keys: { partitionKey: 'pk', sortKey: 'sk' },
  graph: (table) =>
    defineGraph({
      table,
      nodes: { USER: node({ view: 'ALL' }), REPO: node({ view: 'ALL' }), ISSUE: node({ view: ['subject'] }) },
      edges: {
        IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound: { orders: { gsi0: 'issueNumber' } } }),
        STARS: edge({ from: 'USER', to: 'REPO', edgeSet: ['at'], inbound: { orders: { gsi0: 'at' } } }),
      },
    }),
  layout: fromElectroDB([
    { schema: SCHEMAS.user, node: 'USER' },
    { schema: SCHEMAS.repo, node: 'REPO' },
    { schema: SCHEMAS.issue, node: 'ISSUE', edges: [{ type: 'IN_REPO', to: REPO, attributes: ['issueNumber'] }] },
    { schema: SCHEMAS.star, edges: [{ type: 'STARS', from: USER, to: REPO, attributes: ['at'] }] },
  ]),
  items,
  reasons: [
    'the entity subscription is not declared',
    'it is of version 1 of the entity issue, and version 2 is declared',
  ],
  questions: (all) => {
    const live = all.filter((item) => item['__edb_e__'] !== 'issue' || item['__edb_v__'] === '2');
    const repos = all.filter((item) => item['__edb_e__'] === 'repository');
    return repos.flatMap((repo) => {
      const [owner, name] = [String(repo['repoOwner']), String(repo['repoName'])];
      const id = `REPO-${owner}.${name.replace('.', '%2E')}`;
      const key = `$vcs#repoowner_${owner}#reponame_${name}`;
      return [
        {
          text: `the issues of ${id}`,
          old: query(live, ['gsi2pk', 'gsi2sk'], key).map(({ issueNumber }) => `ISSUE-${issueNumber}.${id.slice(5)}`),
          ours: (reader) => sourcesOf(reader, 'IN_REPO', id),
        },
        {
          text: `who starred ${id}`,
          old: query(live, ['pk', 'sk'], key, '$star_1').map(({ username }) => `USER-${username}`),
          ours: async (reader) => (await sourcesOf(reader, 'STARS', id)).sort(),
        },
      ];
    });
  },
};
