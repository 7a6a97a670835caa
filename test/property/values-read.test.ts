import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { attributesOfJson } from '../../packages/cli/shared/attribute-values.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { encodeWhere } from '../../src/client/read/request/where.ts';
import { ConditionFailedError } from '../../src/client/write/item/conditions.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { type AttributeValue, type Item, sameItem, sameValue } from '../../src/core/items/attribute-value.ts';
import { ExactNumber, toPlain } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { losslessNumber, toJson } from '../../src/foundation/exact-json.ts';
import { asText, number } from '../support/decimals.ts';
import { runs } from '../support/extent.ts';
import { MemoryStore } from '../support/memory-store/memory-store.ts';
import { SIZES } from '../support/sizes.ts';
import { codePoints } from '../support/texts.ts';

const RUNS = { numRuns: runs(SIZES['values read']) };

/** Numbers near the borders of what JavaScript holds exactly. */
const atTheBorder = fc
  .tuple(fc.constantFrom(2n ** 53n, 10n ** 15n, 10n ** 18n, 10n ** 21n, 10n ** 125n), fc.bigInt(-3n, 3n), fc.boolean())
  .map(([border, more, negative]) => `${(border >= 10n ** 38n ? border : border + more) * (negative ? -1n : 1n)}`);
/** Numbers as DynamoDB gives them: without an exponent. */
const numberText = fc.oneof(
  number.map((decimal) => asText(decimal, 2)),
  atTheBorder,
);
const bytes = fc.uint8Array({ maxLength: 4 });

const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 3, arbitrary: numberText.map((N) => ({ N })) },
  codePoints(0, 4).map((S) => ({ S })),
  bytes.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
);
const distinctNumbers = {
  minLength: 1,
  maxLength: 4,
  comparator: (a: string, b: string) => sameValue({ N: a }, { N: b }),
};
const setOf: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.uniqueArray(numberText, distinctNumbers).map((NS) => ({ NS })),
  fc.uniqueArray(codePoints(0, 4), { minLength: 1, maxLength: 4 }).map((SS) => ({ SS })),
  fc.uniqueArray(bytes, { minLength: 1, maxLength: 3, selector: String }).map((BS) => ({ BS })),
);
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    setOf,
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'constructor', '__proto__'), tie('value')), {
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map((entries) => ({ M: Object.fromEntries(entries) })),
  ),
}));

const numeric = z.union([z.number(), z.bigint()]);
const graph: CompiledModel = defineGraph({
  table: 'values',
  nodes: {
    OPEN: node({ view: 'ALL' }),
    LOOSE: node({ view: 'ALL', fields: z.looseObject({ note: z.number().optional() }) }),
    NUMBER: node({ view: 'ALL', fields: z.looseObject({ cell: z.number(), note: z.number().optional() }) }),
    WHOLE: node({ view: 'ALL', fields: z.looseObject({ cell: z.bigint(), note: z.number().optional() }) }),
    EXACT: node({
      view: 'ALL',
      fields: z.looseObject({ cell: z.instanceof(ExactNumber), note: z.number().optional() }),
    }),
    MANY: node({ view: 'ALL', fields: z.looseObject({ cell: z.array(numeric), note: z.number().optional() }) }),
    SET: node({ view: 'ALL', fields: z.looseObject({ cell: z.set(z.bigint()), note: z.number().optional() }) }),
    VERSIONED: node({ view: 'ALL', versionAttribute: 'v' }),
  },
  edges: { LINK: edge({ from: 'OPEN', to: 'OPEN' }) },
});

async function open(source: string, target: string, stored: Item) {
  const store = new MemoryStore(graph.table);
  await store.put({ source: { S: source }, target: { S: target }, ...stored });
  const writer = createWriter(graph, { store, wait: async () => undefined });
  const attributes = async (): Promise<Item> => {
    const { item } = await store.get({ source, target }, { consistent: true });
    const { source: _source, target: _target, ...rest } = item ?? {};
    return rest;
  };
  return { writer, reader: createReader(graph, { store }), attributes };
}

/** Every way in takes what a read gave of an item, and stores the same values. */
async function takesBack(type: string, stored: Item): Promise<void> {
  const id = `${type}-1`;
  const { writer, reader, attributes } = await open(id, id, stored);
  const read = async () => (await reader.getNode(id, { consistent: true }))!.attributes;
  const isSame = async (note: string): Promise<void> => {
    const { note: written, v: _version, ...rest } = await attributes();
    const { v: _before, ...before } = stored;
    expect(written).toEqual({ N: note });
    expect(sameItem(rest, before)).toBe(true);
  };
  await writer.updateNode(id, (attributes) => ({ ...attributes, note: 1 }));
  await isSame('1');
  await writer.updateNode(id, { set: { note: 2 } });
  await isSame('2');
  await writer.transact((transaction) => transaction.updateNode(id, { set: { note: 3 } }));
  await isSame('3');
  await writer.updateNode(id, { set: { ...(await read()), ...(type === 'VERSIONED' && { v: undefined }), note: 4 } });
  await isSame('4');
  await writer.putNode(id, { ...(await read()), note: 5 });
  await isSame('5');
  const given = await read();
  await writer.updateNode(id, { set: { note: 6 } }, { if: given });
  await isSame('6');
  const refused = await writer
    .updateNode(id, { set: { note: 0 } }, { if: { note: 0 } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConditionFailedError);
  const { current } = refused as ConditionFailedError;
  await writer.transact((transaction) => transaction.putNode(id, { ...current, note: 7 }, { if: current! }));
  await isSame('7');
  if (type === 'VERSIONED') return;
  const batched = await read();
  await writer.batch((batch) => batch.putNode(id, { ...batched, note: 8 }));
  await isSame('8');
}

describe('a write takes what a read gave', () => {
  it('of any value', async () => {
    const type = fc.constantFrom('OPEN', 'LOOSE', 'VERSIONED');
    await fc.assert(
      fc.asyncProperty(type, value, value, (type, cell, other) => takesBack(type, { cell, other })),
      RUNS,
    );
  });

  it('of a number, in the form that its validator takes', async () => {
    const forms = fc.constantFrom('NUMBER', 'EXACT');
    await fc.assert(
      fc.asyncProperty(forms, numberText, (type, N) => takesBack(type, { cell: { N } })),
      RUNS,
    );
    const whole = fc.oneof(atTheBorder, fc.bigInt(-(10n ** 37n), 10n ** 37n).map(String));
    await fc.assert(
      fc.asyncProperty(whole, (N) => takesBack('WHOLE', { cell: { N } })),
      RUNS,
    );
    const several = fc.uniqueArray(whole, distinctNumbers);
    await fc.assert(
      fc.asyncProperty(several, async (texts) => {
        await takesBack('MANY', { cell: { L: texts.map((N) => ({ N })) } });
        await takesBack('SET', { cell: { NS: texts } });
      }),
      RUNS,
    );
  });

  it('of an edge', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (cell) => {
        const [source, target] = ['OPEN-1', 'OPEN-2'] as const;
        const { writer, reader, attributes } = await open(source, `LINK-${target}`, { cell });
        const read = async () => (await reader.getEdge(source, 'LINK', target, { consistent: true }))!.attributes;
        await writer.updateEdge(source, 'LINK', target, (attributes) => ({ ...attributes, note: 1 }));
        await writer.putEdge(source, 'LINK', target, { ...(await read()), note: 2 });
        await writer.updateEdge(source, 'LINK', target, { set: { note: 3 } }, { if: await read() });
        expect(sameItem(await attributes(), { cell, note: { N: '3' } })).toBe(true);
      }),
      RUNS,
    );
  });

  it('in a where, and on the command line', () => {
    const subject = { name: 'order', projection: { kind: 'ALL' }, path: 'edges.LINK.inbound' } as const;
    fc.assert(
      fc.property(numberText, (N) => {
        const [term] = encodeWhere(graph, { cell: toPlain({ N }) as number }, subject)!;
        expect(sameValue('value' in term! ? term.value : undefined, { N })).toBe(true);
        const printed = toJson({ cell: toPlain({ N }, losslessNumber) });
        expect(sameValue(toWire(attributesOfJson(printed)), { N })).toBe(true);
      }),
      RUNS,
    );
  });

  it('of a value that is nested deeper than the writer puts it', async () => {
    let deep: AttributeValue = { N: '1' };
    for (let level = 0; level < 31; level++) deep = { L: [deep] };
    const { writer, attributes } = await open('OPEN-1', 'OPEN-1', { deep });
    await writer.updateNode('OPEN-1', (before) => ({ ...before, note: 1 }));
    expect(await attributes()).toEqual({ deep, note: { N: '1' } });
  });
});

function toWire(attributes: Record<string, unknown>): AttributeValue | undefined {
  const subject = { name: 'order', projection: { kind: 'ALL' }, path: 'edges.LINK.inbound' } as const;
  const [term] = encodeWhere(graph, attributes as { cell: number }, subject)!;
  return 'value' in term! ? term.value : undefined;
}
