import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph, edge, edgeItem, hashedEdgeKey, node, nodeItem } from '../../../src/index.ts';
import { ROOT } from '../../support/command.ts';

const USER = node({ view: 'ALL', fields: z.object({ name: z.string(), age: z.number().max(150).optional() }) });
const graph = defineGraph({
  table: { name: 'records', partitionKey: 'pk', sortKey: 'sk' },
  nodes: {
    ...{
      USER,
      THEIRS: node({ view: 'ALL' }),
      NOTE: node({ view: 'ALL' }),
      GOAL: node({ view: 'ALL', versionAttribute: 'version' }),
    },
    BROKEN: node({
      view: 'ALL',
      fields: { '~standard': { version: 1, vendor: 'x', validate: () => JSON.parse('no') } },
    }),
  },
  edges: { KNOWS: edge({ from: 'USER', to: 'USER' }), FRIEND: edge({ from: 'USER', to: 'USER', keys: 'hashed' }) },
  mirrored: ['THEIRS'],
});

describe('the items of producers without a writer', () => {
  it('have the keys of the table, and plain values', () => {
    expect(nodeItem(graph, 'USER-1', { name: 'Ada' })).toEqual({ pk: 'USER-1', sk: 'USER-1', name: 'Ada' });
    expect(
      edgeItem(graph, 'USER-1', 'KNOWS', 'USER-2', { since: 2020, tags: new Set(['a']), gone: undefined }),
    ).toEqual({
      ...{ pk: 'USER-1', sk: 'KNOWS-USER-2' },
      ...{ since: 2020, tags: new Set(['a']) },
    });
  });
  it('have numbers as they were given, in whichever form the fields of the type take them', () => {
    const made = nodeItem(graph, 'USER-1', { name: 'Ada', age: 36n as never });
    expect(made).toEqual({ pk: 'USER-1', sk: 'USER-1', name: 'Ada', age: 36n });
    const refused = expect.objectContaining({ issues: [{ path: 'age', message: expect.any(String) }] });
    expect(() => nodeItem(graph, 'USER-1', { name: 'Ada', age: 151n as never })).toThrow(refused);
  });
  it('have a hashed key with the id beside', () => {
    const sk = hashedEdgeKey('FRIEND', 'USER-2');
    const made = { pk: 'USER-1', sk, targetId: 'USER-2' };
    expect(edgeItem(graph, 'USER-1', 'FRIEND', 'USER-2')).toEqual(made);
    expect(edgeItem(graph, 'USER-1', 'FRIEND', 'USER-2', { targetId: 'USER-2' })).toEqual(made);
  });
  it.each<[string, () => unknown]>([
    ['invalid-attribute', () => nodeItem(graph, 'USER-1', { name: 1 as never })],
    ['invalid-attribute', () => edgeItem(graph, 'USER-1', 'KNOWS', 'USER-2', { pk: 'x' })],
    ['mirrored-type', () => nodeItem(graph, 'THEIRS-1')],
    ['unknown-type', () => nodeItem(graph, 'NONE-1' as never, { name: 'x' })],
    ['versioned-type', () => nodeItem(graph, 'GOAL-1', { title: 'x' })],
    ['invalid-edge', () => edgeItem(graph, 'USER-1', 'FRIEND', 'USER-2', { targetId: 'USER-3' })],
    ['invalid-attribute', () => nodeItem(graph, 'NOTE-1', 'text' as never)],
    ['invalid-attribute', () => nodeItem(graph, 'NOTE-1', null as never)],
    ['invalid-attribute', () => edgeItem(graph, 'USER-1', 'KNOWS', 'USER-2', [1] as never)],
    ['invalid-attribute', () => edgeItem(graph, 'USER-1', 'FRIEND', 'USER-2', null as never)],
    ['validator-failed', () => nodeItem(graph, 'BROKEN-1', {} as never)],
  ])('are refused as by the writer: %s', (code, make) => {
    expect(make).toThrow(expect.objectContaining({ code }));
  });
});

describe('the keys that docs/how-to/writing.md has for other languages', () => {
  const page = readFileSync(join(ROOT, 'docs/how-to/writing.md'), 'utf8');
  const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)![1]!;
  const hashed = hashedEdgeKey('FRIEND', 'USER-2');
  const plain = edgeItem(graph, 'USER-1', 'KNOWS', 'USER-2')['sk'];

  it('are the same: type, minus and id, or minus, # and 32 hex digits of SHA-256', () => {
    expect(plain).toBe('KNOWS-USER-2');
    expect(hashed).toMatch(/^FRIEND-#[0-9a-f]{32}$/);
  });
  it.each([
    ['python', "f'{type}-{target}'", "f'{type}-#' + hashlib.sha256(target.encode()).hexdigest()[:32]"],
    ['go', 'kind + "-" + target', 'kind + "-#" + fmt.Sprintf("%x", sha256.Sum256([]byte(target)))[:32]'],
  ])('in %s', (language, ofPlain, ofHashed) => {
    expect(blockOf(language)).toContain(ofPlain);
    expect(blockOf(language)).toContain(ofHashed);
  });
});
