import { describe, expect, it } from 'vitest';
import { type CompiledModel, defineGraph, node } from '../../src/index.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';

/** What a migration is told to drop is what has that name, also where the name ends as that of a generation does. */

function modelOf(shards: number): CompiledModel {
  return defineGraph({
    table: { name: 'records', indexes: 1 },
    nodes: {
      A: node({ view: 'ALL', list: true, search: { '@2': { shards }, 'name@2': { shards }, name: { shards } } }),
    },
  }) as CompiledModel;
}

function partitionsOf(stage: Stage): string[] {
  const kinds = stage.derived().flatMap(({ item }) => (item['gsi0pk'] === undefined ? [] : [item['gsi0pk']]));
  return [...new Set(kinds.map((key) => (key as { S: string }).S.replace(/#\d+$/, '')))].sort();
}

describe('a projection that is dropped by its name', () => {
  it.each([
    { name: 'search:A.@2', gone: 'A.%402@2' },
    { name: 'search:A.name@2', gone: 'A.name%402@2' },
  ])('is all of $name, and nothing else', async ({ name, gone }) => {
    const stage = new Stage();
    const { before, after } = await stage.run(async () => {
      await stage.migrate(modelOf(1));
      stage.node('A-1', { '@2': 'x', 'name@2': 'y', name: 'z' });
      await stage.consume(modelOf(1));
      await stage.migrate(modelOf(3));
      await stage.sleep(SHOWN_MS);
      const before = partitionsOf(stage);
      await stage.migrate(modelOf(3), { action: { kind: 'drop', name } });
      await stage.sleep(SHOWN_MS);
      return { before, after: partitionsOf(stage) };
    });
    expect(after).toEqual(before.filter((partition) => partition !== gone));
  });
});
