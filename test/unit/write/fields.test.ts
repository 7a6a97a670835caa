import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { validateFields } from '../../../src/client/write/checks/fields.ts';
import { ExactNumber } from '../../../src/core/items/plain.ts';

const ITEM = 'Node "GOAL-G1"';

/** A validator as any library may make it. */
function validator(
  validate: (value: unknown) => StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>>,
): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

it('gives attributes back where nothing is declared', async () => {
  const attributes = { anything: new Set(['x']) };
  expect(await validateFields(undefined, attributes, ITEM)).toBe(attributes);
});

it('gives the output of the validator, with defaults and transforms', async () => {
  const fields = z.object({ title: z.string().trim(), status: z.string().default('OPEN') });
  expect(await validateFields(fields, { title: ' Run ' }, ITEM)).toEqual({ title: 'Run', status: 'OPEN' });
});

it('waits for a validator that is asynchronous', async () => {
  const fields = validator(async (value) => ({ value: { ...(value as object), checked: true } }));
  expect(await validateFields(fields, { a: 1 }, ITEM)).toEqual({ a: 1, checked: true });
});

it('names the item where the validator throws or gives no object', async () => {
  const throwing = validator(() => {
    throw new Error('broken');
  });
  await expect(validateFields(throwing, {}, ITEM)).rejects.toMatchObject({
    code: 'validator-failed',
    message: 'Node "GOAL-G1": the validator of its fields threw: broken.',
  });
  await expect(
    validateFields(
      validator(() => ({ value: 'text' })),
      {},
      ITEM,
    ),
  ).rejects.toThrow("validator's output");
});

it.each([[[1]], ['text'], [new (class Entity {})()], [null]])(
  'refuses attributes that are no plain object',
  async (value) => {
    await expect(validateFields(undefined, value, ITEM)).rejects.toThrow('should be a plain object');
  },
);

it('offers a number in the form that the validator takes, and keeps it as it was given', async () => {
  const fields = z.looseObject({ cell: z.bigint(), share: z.number(), list: z.array(z.object({ n: z.bigint() })) });
  const exact = new ExactNumber('123456789012345678901');
  const given = { cell: 5, share: exact, list: [{ n: 1 }, { n: 2n }], other: 7 };
  expect(await validateFields(fields, given, ITEM)).toEqual(given);
});

it('offers numbers of frozen attributes in other forms too', async () => {
  const list = Object.freeze([Object.freeze({ n: 1 })]);
  const given = Object.freeze({ cell: 5n, list, other: 7 });
  for (const object of [z.object, z.looseObject, z.strictObject]) {
    const fields = object({ cell: z.number(), list: z.array(z.object({ n: z.bigint() })), other: z.number() });
    expect(await validateFields(fields, given, ITEM)).toEqual(given);
  }
});

it('reports a number of a wrong value as it was given, and none that is right in another form', async () => {
  const fields = z.object({ points: z.number().max(10), cell: z.bigint() });
  const failure = validateFields(fields, { points: 11, cell: 5 }, ITEM);
  await expect(failure).rejects.toMatchObject({
    issues: [{ path: 'points', message: expect.stringContaining('<=10') }],
  });
});
