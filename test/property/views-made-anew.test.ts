import { describe, expect, it } from 'vitest';
import { redrive } from '../../src/admin.ts';
import type { DerivedUpdate } from '../../src/core/store-port.ts';
import { type CompiledModel, defineGraph, edge, node } from '../../src/index.ts';
import { SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { mapOf, textOf } from '../simulator/kernel/values.ts';

/**
 * A tombstone of a view is buried by time, and the view may be made anew and come to the same revision. Whoever still holds the
 * tombstone must not write over it.
 */

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: 'ALL', search: { num: { type: 'number', shards: 1 } } }), B: node({ view: ['title'] }) },
  edges: { AB: edge({ from: 'A', to: 'B', edgeSet: ['since'], copy: ['title'] }) },
}) as CompiledModel;

const DAYS_MS = 50 * 3_600_000;

/** How somebody comes to write a view under what was read of its tombstone. */
const WRITERS = [
  {
    who: 'a redrive of a quarantined record',
    begin: (stage: Stage, store: ReturnType<Stage['store']>) =>
      redrive(graph, { store, now: Date.now, wait: stage.sleep }),
  },
  {
    who: 'a record of a shard that is far behind',
    begin: (stage: Stage, store: ReturnType<Stage['store']>, last: Stage['records']) =>
      stage.project(graph, last, { store }),
  },
  {
    who: 'a fan-out of a node that is copied',
    begin: async (stage: Stage, store: ReturnType<Stage['store']>) => {
      stage.node('B-1', { title: 'new' });
      await stage.project(graph, stage.loseRecords(), { store });
    },
  },
] as const;

describe('a view that is made anew after its tombstone has expired', () => {
  it.each(WRITERS)('is not written over by $who', async ({ begin }) => {
    const wrong: string[] = [];
    for (const anew of [1, 2, 3, 4]) {
      const stage = new Stage(anew);
      const found = await stage.run(async () => {
        await stage.migrate(graph);
        stage.node('B-1', { title: 'old' });
        // A text is no number: the record is quarantined, and the view is made.
        stage.node('A-1', { name: 'first', num: 'text' });
        stage.put('A-1', 'AB-B-1', { since: '2020' });
        await stage.consume(graph);
        stage.put('A-1', 'AB-B-1', undefined);
        // The reverse item is that of an edge whose record nobody has seen: a fan-out still comes to the child.
        const reverse = stage.table.current({ source: 'B-1', target: '~rev/AB-A-1' });
        await stage.consume(graph);
        stage.table.write({ source: 'B-1', target: '~rev/AB-A-1' }, reverse);
        stage.node('A-1', undefined);
        await stage.consume(graph);
        const last = stage.records.slice(-1);
        const tombstone = stage.table.current({ source: 'A-1', target: '~view' });
        expect(tombstone?.['expiresAt']).toBeDefined();
        // It has expired, and time has not buried it yet.
        stage.timeline.skip(DAYS_MS);
        const holding = stage.heldStore((method, argument) => {
          const isView = method === 'update' && (argument as DerivedUpdate).key.source === 'A-1';
          return isView && (argument as DerivedUpdate).key.target === '~view' ? { before: 60_000 } : undefined;
        });
        const writing = begin(stage, holding, last);
        await stage.sleep(30_000);
        stage.table.write({ source: 'A-1', target: '~view' }, undefined);
        for (let i = 1; i <= anew; i++) {
          stage.node('A-1', { name: `anew ${i}`, num: i });
          await stage.consume(graph);
        }
        await writing;
        await stage.consume(graph);
        await stage.sleep(SHOWN_MS);
        const view = stage.table.current({ source: 'A-1', target: '~view' });
        const name = textOf(mapOf(view?.['attributes'])['name']);
        return name === `anew ${anew}` && view?.['expiresAt'] === undefined
          ? undefined
          : `after ${anew} writes it is ${JSON.stringify(view)}`;
      });
      if (found !== undefined) wrong.push(found);
    }
    expect(wrong).toEqual([]);
  });
});
