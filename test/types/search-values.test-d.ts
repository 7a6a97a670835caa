import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Reader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { derive, node, part, rank } from '../../src/core/model/schema.ts';

const status = z.enum(['OPEN', 'DONE']);
const graph = defineGraph({
  table: 'records',
  nodes: {
    TASK: node({
      view: 'ALL',
      fields: z.object({
        status,
        title: z.string().optional(),
        points: z.number().optional(),
        due: z.iso.date().optional(),
        tags: z.set(z.enum(['red', 'green'])),
        steps: z.array(z.string()),
        code: z.string().brand<'Code'>(),
      }),
      search: {
        status: {},
        folded: { attribute: 'status', caseInsensitive: true },
        short: 'status',
        title: { project: ['status'] },
        points: { type: 'number' },
        due: { type: 'date' },
        tags: { multiValue: true },
        steps: { multiValue: true },
        code: {},
        stage: rank('status', { OPEN: 1, DONE: 2 }),
        first: derive(({ title }: { title?: string | undefined }) => title?.charAt(0)),
        place: { path: ['status', 'title'] },
      },
      parts: { STATE: part({ fields: z.object({ status }), search: { status: {} } }) },
    }),
    OPEN: node({ view: 'ALL', search: { any: {} } }),
  },
});
declare const reader: Reader<typeof graph>;
declare const text: string;

it('gives the value of a hit the type of the attribute', async () => {
  const foundBy = async <Value>(page: Promise<{ items: { value: Value }[] }>): Promise<Value> =>
    (await page).items[0]!.value;
  expectTypeOf(await foundBy(reader.search('TASK.status').all())).toEqualTypeOf<'OPEN' | 'DONE'>();
  expectTypeOf(await foundBy(reader.search('TASK.folded').all())).toEqualTypeOf<'OPEN' | 'DONE'>();
  expectTypeOf(await foundBy(reader.search('TASK.short').all())).toEqualTypeOf<'OPEN' | 'DONE'>();
  expectTypeOf(await foundBy(reader.search('TASK.title').all())).toEqualTypeOf<string>();
  expectTypeOf(await foundBy(reader.search('TASK.points').all())).toEqualTypeOf<number>();
  expectTypeOf(await foundBy(reader.search('TASK.due').all())).toEqualTypeOf<string>();
  expectTypeOf(await foundBy(reader.search('TASK.tags').all())).toEqualTypeOf<'red' | 'green'>();
  expectTypeOf(await foundBy(reader.search('TASK.steps').all())).toEqualTypeOf<string>();
  expectTypeOf(await foundBy(reader.search('TASK.stage').all())).toEqualTypeOf<'OPEN' | 'DONE'>();
  expectTypeOf(await foundBy(reader.search('TASK.first').all())).toEqualTypeOf<string>();
  expectTypeOf(await foundBy(reader.search('TASK.place').all())).toEqualTypeOf<string[]>();
  expectTypeOf(await foundBy(reader.search('TASK.STATE.status').all())).toEqualTypeOf<'OPEN' | 'DONE'>();
  expectTypeOf(await foundBy(reader.search('OPEN.any').all())).toEqualTypeOf<unknown>();
  expectTypeOf(await foundBy((reader as Reader).search(text).all())).toEqualTypeOf<unknown>();
});

it('takes the members of an enum', () => {
  void reader.search('TASK.status').equals('OPEN');
  void reader.search('TASK.status').find({ equals: 'DONE' });
  void reader.search('TASK.status').between('A', 'M');
  void reader.search('TASK.status').beginsWith('O');
  void reader.search('TASK.folded').equals('open');
  void reader.search('TASK.tags').equals('red');
  void reader.search('TASK.code').equals(text);
  void reader.search('TASK.title').equals(text);
  void reader.search('OPEN.any').equals(text);
  // @ts-expect-error: LATE is no status
  void reader.search('TASK.status').equals('LATE');
  // @ts-expect-error: LATE is no status
  void reader.search('TASK.short').count({ equals: 'LATE' });
  // @ts-expect-error: a text may be no status
  void reader.search('TASK.STATE.status').equals(text);
  // @ts-expect-error: blue is no tag
  void reader.search('TASK.tags').find({ equals: 'blue' });
});
