import { expect, it } from 'vitest';
import { failureText } from '../../../packages/cli/shared/failure.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

it('a failure of a command is printed with its code, to which the docs refer', () => {
  const overtaken = new EdgeloomError('overtaken', 'Another migration is running.', 'Run this one again.');
  expect(failureText(overtaken)).toBe('error (overtaken): Another migration is running.\nhint: Run this one again.\n');
  expect(failureText(new Error('odd'))).toMatch(/^error \(unexpected\): odd\nhint: /);
});
