import { expectTypeOf, it } from 'vitest';
import { EdgeloomError } from '../../src/client/known-error.ts';
import type { ErrorCode } from '../../src/foundation/error-code.ts';
import { type Mistake, StoreError, type StoreErrorKind } from '../../src/foundation/errors.ts';

it('narrows an error by its code', () => {
  const error: unknown = undefined;
  if (!(error instanceof EdgeloomError)) return;
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  switch (error.code) {
    case 'condition-failed':
      expectTypeOf(error.current).toEqualTypeOf<Record<string, unknown> | null>();
      expectTypeOf(error.failures![0]!.position).toEqualTypeOf<number>();
      break;
    case 'invalid-batch':
      expectTypeOf(error.problems[0]!.position).toEqualTypeOf<number>();
      break;
    case 'invalid-attribute':
      expectTypeOf(error.issues).toEqualTypeOf<readonly Mistake[] | undefined>();
      break;
    case 'invalid-model':
      expectTypeOf(error.mistakes).toEqualTypeOf<readonly Mistake[]>();
      break;
    // @ts-expect-error there is no such code
    case 'condition-faild':
      break;
    case 'invalid-id':
      // @ts-expect-error only a condition has a current item
      error.current;
  }
});

it('narrows an error by its class', () => {
  const error: unknown = undefined;
  if (error instanceof StoreError) expectTypeOf(error.kind).toEqualTypeOf<StoreErrorKind>();
  if (error instanceof EdgeloomError && error instanceof StoreError) {
    expectTypeOf(error.kind).toEqualTypeOf<StoreErrorKind>();
  }
  const own: EdgeloomError = new EdgeloomError('own', 'A message.', 'A hint.');
  expectTypeOf(own.code).toEqualTypeOf<string>();
});
