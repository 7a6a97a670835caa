import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { type Local, startLocal } from '../../packages/local/local.ts';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { fromElectroDB } from '../../src/sources/layouts/electrodb.ts';
import { type SourceItem, sourceTable } from '../../src/sources/source.ts';
import { createSources } from '../../src/sources/sources.ts';
import { DynamoDBSourceStore } from '../../src/store/source-table.ts';
import { Random } from '../simulator/kernel/random.ts';
import { runs } from '../support/extent.ts';
import { REPO, SCHEMAS, USER } from '../support/foreign-tables/electrodb.ts';
import { VersionControl } from '../support/foreign-tables/version-control.ts';

/** A service that runs on its own table as before, beside its mirror; pages of two levels are compared with what it has written. */

const WRITES = runs({ part: 200, whole: 10_000 });
const graph = defineGraph({
  table: 'graph',
  nodes: { USER: node({ view: ['fullName'] }), REPO: node({ view: ['about'] }), ISSUE: node({ view: ['subject'] }) },
  edges: {
    IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound: { orders: { gsi0: 'issueNumber' } } }),
    BY: edge({ from: 'ISSUE', to: 'USER' }),
    STARS: edge({ from: 'USER', to: 'REPO', edgeSet: ['at'] }),
  },
  mirrored: ['USER', 'REPO', 'ISSUE', 'IN_REPO', 'BY', 'STARS'],
});
const issueEdges = [
  { type: 'IN_REPO', to: REPO, attributes: ['issueNumber'] },
  { type: 'BY', to: USER },
];
const source = sourceTable('app-table', {
  map: fromElectroDB([
    { schema: SCHEMAS.user, node: 'USER' },
    { schema: SCHEMAS.repo, node: 'REPO' },
    { schema: SCHEMAS.issue, node: 'ISSUE', edges: issueEdges },
    { schema: SCHEMAS.star, edges: [{ type: 'STARS', from: USER, to: REPO, attributes: ['at'] }] },
  ]),
});

let local: Local | undefined;
afterAll(async () => {
  await local?.stop();
});

/** A page of two levels as lines: each issue with its author, and what the author has starred. */
type Shown = [issue: string, subject: unknown, author: string, fullName: unknown, stars: string[]];

describe('a version-control service beside its mirror', () => {
  it(`does ${WRITES} writes as before, and pages of two levels show what it has written`, async () => {
    local = await startLocal(graph, { engine: 'memory', sources: [source], observe: false });
    const { client, store, mirrors, worker } = local;
    const service = new VersionControl(client, source.name, new Random(48));
    for (let i = 0; i < WRITES; i++) await service.act();
    await mirrors!.idle();
    await worker.idle();
    const rows = [...service.rows.values()];

    // The table of the service has what the service wrote, and nothing else.
    const sourceStore = new DynamoDBSourceStore(client, source.name);
    const theirs: SourceItem[] = [];
    let startKey: Item | undefined;
    do {
      const page = await sourceStore.scan({ startKey });
      theirs.push(...page.items.map((item) => unmarshall(item as never)));
      startKey = page.lastKey;
    } while (startKey !== undefined);
    const sorted = (items: readonly SourceItem[]) =>
      items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
    expect(sorted(theirs)).toEqual(sorted(rows));

    const of = (entity: string): SourceItem[] => rows.filter((row) => row['__edb_e__'] === entity);
    const repoOf = ({ repoOwner, repoName }: SourceItem): string => `REPO-${repoOwner}.${repoName}`;
    const reader = createReader(graph, { store });
    let shownIssues = 0;
    for (const repo of new Set(of('issue').map(repoOf))) {
      const expected = of('issue')
        .filter((row) => repoOf(row) === repo)
        .sort((left, right) => (String(left['issueNumber']) < String(right['issueNumber']) ? -1 : 1))
        .map(({ issueNumber, username, subject }): Shown => {
          const author = of('user').find((row) => row['username'] === username);
          const stars = of('star').filter((row) => row['username'] === username);
          const about = (row: SourceItem) => of('repository').find((one) => repoOf(one) === repoOf(row))?.['about'];
          const texts = stars.map((row) => `${repoOf(row)} ${row['at']} ${about(row) ?? null}`).sort();
          return [`ISSUE-${issueNumber}.${repo.slice(5)}`, subject, `USER-${username}`, author?.['fn'] ?? null, texts];
        });
      const shown: Shown[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.page(repo, 'IN_REPO', {
          ...{ limit: 5, with: [{ edge: 'BY', with: [{ edge: 'STARS' }] }] },
          ...(cursor !== undefined && { cursor }),
        });
        for (const { id, attributes, edges } of page.items as AnyNode[]) {
          const [by] = edges['BY']!;
          const { id: author, attributes: user, edges: further } = by!.node;
          const stars = (further?.['STARS'] ?? []).map(
            ({ edge: { at }, node: { id: starred, attributes: about } }) =>
              `${starred} ${at} ${about?.['about'] ?? null}`,
          );
          shown.push([id, attributes?.['subject'], author, user?.['fullName'] ?? null, stars.sort()]);
        }
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(shown).toEqual(expected);
      shownIssues += shown.length;
    }
    expect(shownIssues).toBeGreaterThan(10);

    const sources = createSources(graph, {
      sources: [source],
      store,
      openTable: () => sourceStore,
      wait: async () => undefined,
    });
    const found = await sources.sync(source.name, { dryRun: true });
    expect(found).toMatchObject({ items: rows.length, differences: [], pending: 0, conflicts: [], refused: [] });
  });
});

interface AnyNode {
  id: string;
  attributes: Record<string, unknown> | null;
  edges: Record<string, { edge: Record<string, unknown>; node: AnyNode }[]>;
}
