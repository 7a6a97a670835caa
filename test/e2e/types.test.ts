import { describe, expect, it } from 'vitest';
import { COMPILERS, type Counts, completions, shownOver, withProject } from '../support/compilers.ts';

/** The work of a compiler with the types of a model and of questions to it. Counts say it, which depend on no machine, and not times. */

const SIZES = [5, 10, 20, 40] as const;

/** A model of as many node types as edge types, each of which joins every node type with every other. */
function completeModel(size: number): string {
  const numbers = Array.from({ length: size }, (_, i) => i);
  const all = numbers.map((i) => `'N${i}'`).join(', ');
  const nodes = numbers.map(
    (i) =>
      `N${i}: node({ fields: z.object({ name: z.string(), size: z.number().optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),`,
  );
  const edges = numbers.map(
    (i) =>
      `E${i}: edge({ fields: z.object({ role: z.enum(['x', 'y']), since: z.string() }), from: [${all}], to: [${all}], edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' }, project: ['since'] } }),`,
  );
  return [
    "import { createReader, createWriter, defineGraph, edge, node, rank, type Store, source } from 'edgeloom';",
    "import { z } from 'zod';",
    `const graph = defineGraph({ table: 'records', nodes: { ${nodes.join('\n')} }, edges: { ${edges.join('\n')} } });`,
    'declare const store: Store;',
    'export const reader = createReader(graph, { store });',
    'export const writer = createWriter(graph, { store });',
  ].join('\n');
}

const QUESTIONS = `
import { reader, writer } from './model.ts';
export async function ask(): Promise<unknown[]> {
  const got = await reader.getViews(['N0-1']);
  const edges = await reader.inbound('N1-1', 'E0', { atLeast: 'x' });
  const one = await reader.page('N1-1', 'E0', { with: ['E1:x', { edge: 'E2' }, { inbound: 'E3' }] });
  const two = await reader.page('N1-1', 'E0', { with: [{ inbound: 'E1', with: ['E2'] }] });
  const three = await reader.page('N1-1', 'E0', { with: [{ inbound: 'E1', with: [{ inbound: 'E2', with: [{ edge: 'E3' }] }] }] });
  const hits = await reader.search('N0.name').equals('x');
  await writer.transact((transaction) => {
    transaction.putNode('N0-1', { name: 'a' });
    transaction.putEdge('N0-1', 'E0', 'N1-1', { role: 'x', since: '2020' });
  });
  await writer.updateNode('N0-1', { set: { name: 'b' } }, { if: { name: 'a' } });
  return [
    got.map((view) => [view?.attributes?.name, view?.edgeSet[0]?.role]),
    edges.items.map(({ attributes }) => attributes.since),
    one.items.map(({ attributes, edges, inbound }) => [attributes?.name, edges.E1[0]?.edge.role, edges.E2[0]?.node.attributes?.name, inbound.E3[0]?.edge.since]),
    two.items.map(({ inbound }) => [inbound.E1[0]?.edge.since, inbound.E1[0]?.node.edges.E2[0]?.node.attributes?.name]),
    three.items.map(({ inbound }) => [inbound.E1[0]?.node.inbound.E2[0]?.node.edges.E3[0]?.node.attributes?.name]),
    hits.items.map(({ attributes }) => attributes.name),
  ];
}
`;

describe.each(Object.entries(COMPILERS))('TypeScript %s', (_version, compile) => {
  /** What questions add to a project that has the model only. */
  async function addedByQuestions(size: number): Promise<Counts> {
    return withProject({ 'model.ts': completeModel(size), 'questions.ts': QUESTIONS }, async (folder) => {
      const model = await compile(folder, ['model.ts']);
      const whole = await compile(folder, ['model.ts', 'questions.ts']);
      return {
        instantiations: whole.instantiations - model.instantiations,
        types: whole.types - model.types,
        mistakes: whole.mistakes,
      };
    });
  }

  it('has at most 20,000 + 1,500 N instantiations more for questions to a complete graph of N types, and a line of them', async () => {
    const added: Counts[] = [];
    for (const size of SIZES) added.push(await addedByQuestions(size));
    for (const [i, { instantiations, mistakes }] of added.entries()) {
      expect(mistakes).toEqual([]);
      expect(instantiations, `of ${SIZES[i]} types`).toBeLessThanOrEqual(20_000 + 1_500 * SIZES[i]!);
    }
    // Twice the types are at most twice the work.
    for (const [i, { instantiations, types }] of added.slice(1).entries()) {
      expect(instantiations).toBeLessThanOrEqual(2 * added[i]!.instantiations);
      expect(types).toBeLessThanOrEqual(2 * added[i]!.types);
    }
  });
});

describe('an editor', () => {
  it('offers on each level of a page the edge types that leave or enter the nodes above', async () => {
    const head = `
import { createReader, defineGraph, edge, node, type Store } from 'edgeloom';
const inbound = { orders: { gsi0: 'since' } } as const;
const reader = createReader(defineGraph({
  table: 'records',
  nodes: { USER: node({ view: 'ALL' }), REPO: node({ view: 'ALL' }), ISSUE: node({ view: 'ALL' }), COMMENT: node({ view: 'ALL' }) },
  edges: {
    IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound }),
    ASSIGNED: edge({ from: 'ISSUE', to: 'USER', inbound }),
    ON: edge({ from: 'COMMENT', to: 'ISSUE', edgeSet: false, inbound: { orders: { gsi0: 'since', byAge: 'age' } } }),
    WRITTEN_BY: edge({ from: 'COMMENT', to: 'USER', inbound }),
    BLOCKS: edge({ from: 'ISSUE', to: 'ISSUE' }),
  },
}), { store: {} as Store });`;
    const page = (level: string) => `void reader.page('REPO-1', 'IN_REPO', { with: [${level}] });`;
    const asked = {
      [page("'|'")]: ['ASSIGNED', 'BLOCKS', 'IN_REPO'],
      [page("{ edge: '|' }")]: ['ASSIGNED', 'BLOCKS', 'IN_REPO'],
      [page("{ inbound: '|' }")]: ['ON'],
      [page("{ inbound: 'ON', order: '|' }")]: ['byAge', 'gsi0'],
      [page("{ inbound: 'ON', with: ['|'] }")]: ['WRITTEN_BY'],
      [page("'ASSIGNED', { inbound: 'ON', with: [{ edge: '|' }] }")]: ['ON', 'WRITTEN_BY'],
      [page("{ inbound: 'ON', with: [{ edge: 'WRITTEN_BY', with: [{ inbound: '|' }] }] }")]: ['ASSIGNED', 'WRITTEN_BY'],
      [page('{ | }')]: ['edge', 'inbound', 'label', 'order', 'partition', 'type', 'with'],
    };
    const offered = await withProject({}, (folder) => completions(folder, head, Object.keys(asked)));
    expect(offered.map((names) => names.sort())).toEqual(Object.values(asked));
  });

  it('shows at most 15 lines over each method of writer and reader, with a model of six node and ten edge types', async () => {
    const head = `
import { createReader, createWriter, defineGraph, edge, source, node, rank, type Store } from 'edgeloom';
import { z } from 'zod';
const fields = z.object({ title: z.string(), state: z.enum(['OPEN', 'CLOSED']) });
const role = z.object({ role: z.enum(['LEAD', 'HELPER']) });
const inbound = { orders: { gsi0: 'since' } } as const;
const graph = defineGraph({
  table: 'records',
  nodes: {
    ORG: node({ view: 'ALL' }),
    USER: node({ view: 'ALL', list: true }),
    REPO: node({ view: 'ALL', fields: z.object({ name: z.string() }) }),
    ISSUE: node({ fields, view: ['title'], search: { state: { project: ['title'] } } }),
    COMMENT: node({ view: 'ALL', fields: z.object({ text: z.string() }) }),
    LABEL: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({ from: 'USER', to: 'ORG', inbound }),
    OF_ORG: edge({ from: 'REPO', to: 'ORG', inbound }),
    IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound: { orders: { gsi0: source('state') } } }),
    OPENED_BY: edge({ from: 'ISSUE', to: 'USER', inbound }),
    ASSIGNED: edge({ fields: role, from: 'ISSUE', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { LEAD: 2, HELPER: 1 }) } } }),
    ON: edge({ from: 'COMMENT', to: 'ISSUE', edgeSet: false, inbound: { orders: { gsi0: 'since', byAge: 'age' } } }),
    WRITTEN_BY: edge({ from: 'COMMENT', to: 'USER', inbound }),
    LABELLED: edge({ from: 'ISSUE', to: 'LABEL', copy: ['name'], inbound }),
    BLOCKS: edge({ from: 'ISSUE', to: 'ISSUE', inbound }),
    REPLIES: edge({ from: 'COMMENT', to: 'COMMENT' }),
  },
});
const reader = createReader(graph, { store: {} as Store });
const writer = createWriter(graph, { store: {} as Store });`;
    const lines = [
      "reader.|getViews(['ISSUE-1']);",
      "reader.|has('ISSUE-1', 'BLOCKS', 'ISSUE-2');",
      "reader.|degree('ISSUE-1', 'BLOCKS');",
      "reader.|edges('ISSUE-1', 'BLOCKS');",
      "reader.|edges('ISSUE-1');",
      "reader.|inbound('USER-1', 'ASSIGNED', { atLeast: 'LEAD' });",
      "reader.|getNode('ISSUE-1');",
      "reader.|getEdge('ISSUE-1', 'BLOCKS', 'ISSUE-2');",
      "reader.|getCollection('ISSUE-1');",
      "reader.|nodes('USER');",
      "reader.|inDegree('USER-1', 'ASSIGNED');",
      "reader.|search('ISSUE.state');",
      "reader.search('ISSUE.state').|find({ equals: 'OPEN' });",
      "reader.search('ISSUE.state').|count();",
      "reader.search('ISSUE.state').|equals('OPEN');",
      "reader.search('ISSUE.state').|between('A', 'B');",
      "reader.search('ISSUE.state').|latest();",
      "reader.|page('USER-1', 'ASSIGNED');",
      "reader.|page('USER-1', 'ASSIGNED', { with: ['ASSIGNED', { inbound: 'ON', with: ['WRITTEN_BY'] }] });",
      "reader.|shards('ISSUE.state');",
      "reader.|watch({ inbound: ['USER-1', 'ASSIGNED'] });",
      "reader.|watch({ search: 'ISSUE.state', equals: 'OPEN' });",
      "reader.|watch({ views: ['ISSUE-1'] });",
      "reader.|waitForProjection('ISSUE-1');",
      "writer.|putNode('ISSUE-1', { title: 'a', state: 'OPEN' });",
      "writer.|updateNode('ISSUE-1', { set: { title: 'b' } });",
      "writer.|deleteNode('ISSUE-1');",
      "writer.|putEdge('ISSUE-1', 'ASSIGNED', 'USER-1', { role: 'LEAD' });",
      "writer.|updateEdge('ISSUE-1', 'ASSIGNED', 'USER-1', { set: { role: 'LEAD' } });",
      "writer.|deleteEdge('ISSUE-1', 'ASSIGNED', 'USER-1');",
      'writer.|putMany([]);',
      "writer.|deleteNodeWithEdges('ISSUE-1');",
      "writer.|transact((transaction) => transaction.putNode('ISSUE-1', { title: 'a', state: 'OPEN' }));",
      "writer.|batch((batch) => batch.deleteNode('ISSUE-1'));",
      'writer.|with({} as never);',
      'reader.|with({} as never);',
    ];
    const shown = await withProject({}, (folder) => shownOver(folder, head, lines));
    expect(shown.filter((text) => !text.startsWith('(method)'))).toEqual([]);
    expect(shown.filter((text) => text.split('\n').length > 15)).toEqual([]);
  });

  it('shows a model by its name, however much is in it, where it is given one', async () => {
    const attributes = Array.from({ length: 20 }, (_, i) => `a${i}: z.string()`).join(', ');
    const nodes = ['ORG', 'USER', 'REPO', 'ISSUE'].map(
      (type) => `${type}: node({ view: 'ALL', fields: z.object({ ${attributes} }) })`,
    );
    const head = `
import { createReader, createWriter, defineGraph, edge, node, type Store } from 'edgeloom';
import { z } from 'zod';
const defined = defineGraph({ table: 'records', nodes: { ${nodes.join(', ')} }, edges: { MEMBER: edge({ from: 'USER', to: 'ORG', inbound: { orders: { gsi0: 'since' } } }) } });
type Defined = typeof defined;
interface Tracker extends Defined {}
export const graph: Tracker = defined;
const reader = createReader(graph, { store: {} as Store });
const writer = createWriter(graph, { store: {} as Store });`;
    const lines = [
      'reader.|with({} as never);',
      'writer.|with({} as never);',
      "writer.|transact((transaction) => transaction.deleteNode('ISSUE-1'));",
      "writer.|batch((batch) => batch.deleteNode('ISSUE-1'));",
      "reader.|inbound('ORG-1', 'MEMBER');",
      'export const |first = createReader(graph, { store: {} as Store });',
      'export const |second = createWriter(graph, { store: {} as Store });',
    ];
    const shown = await withProject({}, (folder) => shownOver(folder, head, lines));
    for (const text of shown) expect(text).toMatch(/(Reader|Writer)<Tracker>/);
    expect(shown.filter((text) => text.split('\n').length > 15)).toEqual([]);
  });
});
