import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ON_SOURCES, withProject } from '../support/compilers.ts';
import { hovers } from '../support/language-server.ts';

/** The texts that an editor shows over the results of reads, on a model of so many further node and edge types. */
async function readsHovered(further: number): Promise<Map<string, string>> {
  const files = { 'tsconfig.json': ON_SOURCES, 'reads.ts': source(further) };
  return await withProject(files, (folder) => hovers(join(folder, 'reads.ts')));
}

function source(further: number): string {
  const each = (line: (i: number) => string): string => Array.from({ length: further }, (_, i) => line(i)).join('\n');
  return `
import { createReader, defineGraph, edge, node, rank, type Store } from 'edgeloom';
import { z } from 'zod';
const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({
      fields: z.object({ title: z.string(), status: z.string(), notes: z.string().optional() }),
      view: ['title', 'status'],
      search: { status: { project: ['title'] } },
      list: true,
    }),
    USER: node({ fields: z.object({ name: z.string(), email: z.string() }), view: ['name'] }),
${each((i) => `    T${i}: node({ view: 'ALL', fields: z.object({ size: z.number() }), search: { size: { type: 'number' } } }),`)}
  },
  edges: {
    MEMBER: edge({
      fields: z.object({ role: z.enum(['LEAD', 'OTHER']), since: z.string() }),
      from: 'GOAL',
      to: 'USER',
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 2, OTHER: 1 }) }, includeTarget: true, project: ['since'], projectSource: ['title'] },
      copy: ['name'],
    }),
    FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['since'] }),
${each((i) => `    E${i}: edge({ from: 'T${i}', to: 'USER', edgeSet: ['role', 'since'], inbound: { orders: { gsi0: 'since' } } }),`)}
  },
});
declare const store: Store;
declare const anyId: string;
const reader = createReader(graph, { store });
export const got = await reader.getViews(['GOAL-G1']);
export const several = await reader.getViews(['GOAL-G1', 'USER-U1']);
export const selected = await reader.getViews(['GOAL-G1'], { attributes: ['notes'] });
export const whole = await reader.getViews(['GOAL-G1'], { attributes: 'ALL' });
export const entry = got[0]!.edgeSet[0]!;
export const nodes = await reader.nodes('GOAL');
export const node1 = await reader.getNode('GOAL-G1');
export const edge1 = await reader.getEdge('GOAL-G1', 'MEMBER', 'USER-U1');
export const edges = await reader.edges('GOAL-G1', 'MEMBER');
export const collection = await reader.getCollection('GOAL-G1', { types: ['MEMBER'] });
export const inbound = await reader.inbound('USER-U1', 'MEMBER', { reverse: true });
export const search = reader.search('GOAL.status');
export const hits = await search.equals('OPEN');
export const found = await reader.search('GOAL.status').find({ equals: 'OPEN' });
export const hit = hits.items[0]!;
export const page = await reader.page('USER-U1', 'MEMBER');
export const bare = await reader.page('USER-U1', 'MEMBER', { with: [] });
export const pageItem = page.items[0]!;
export const neighbor = pageItem.edges.MEMBER[0]!;
export const bareItem = bare.items[0]!;
export const open = await reader.getViews([anyId]);
`;
}

describe('an editor shows over the result of a read', () => {
  let few: Map<string, string>;
  let many: Map<string, string>;
  beforeAll(async () => {
    few = await readsHovered(0);
    many = await readsHovered(20);
  });

  it('its interface with what it holds', () => {
    // On one line, with `USER-*` for any id of a user.
    const line = (name: string) =>
      few
        .get(name)!
        .replace(/\s+/g, ' ')
        .replace(/\$\{string\}/g, '*');
    expect(line('got')).toBe(
      'const got: (View<"GOAL-G1", { title?: string | undefined; status?: string | undefined; }, EdgeSetElement<"MEMBER", ' +
        '`USER-*`, { role?: "LEAD" | "OTHER" | undefined; }, { name?: string | undefined; }, "since">> | null)[]',
    );
    expect(line('inbound')).toContain(
      'InboundPage<EdgeResult<`GOAL-*`, "MEMBER", `USER-*`, ' +
        '{ since?: string | undefined; } & { title?: string | undefined; }>, TargetView<`USER-*`,',
    );
    expect(line('hits')).toBe('const hits: Page<SearchResult<`GOAL-*`, { title?: string | undefined; }, string>>');
    const bare = 'PageNode<`GOAL-*`, { title?: string | undefined; status?: string | undefined; }>';
    expect(line('bareItem')).toBe(`const bareItem: ${bare}`);
    const neighbor =
      'Neighbor<{ role?: "LEAD" | "OTHER" | undefined; }, PageNode<`USER-*`, { name?: string | undefined; }>>';
    expect(line('neighbor')).toBe(`const neighbor: ${neighbor}`);
    expect(line('pageItem')).toBe(`const pageItem: ${bare} & Leaving<{ MEMBER: ${neighbor}[]; }>`);
  });

  it('nothing of the model', () => {
    expect(few.size).toBe(21);
    for (const [name, text] of [...few, ...many]) {
      expect(text, name).toMatch(new RegExp(`^const ${name}: `));
      expect(text, name).not.toMatch(/Graph<|Definition<|TypesOf<|Zod/);
    }
  });

  it('the same where the model has more types, but for what may be of any type', () => {
    const ofAnyType = ['open'];
    for (const [name, text] of few) {
      if (ofAnyType.includes(name)) continue;
      expect(many.get(name)).toBe(text);
      expect(text.length, name).toBeLessThan(400);
    }
  });
});
