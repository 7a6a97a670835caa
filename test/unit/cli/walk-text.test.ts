import { expect, it } from 'vitest';
import { walkText } from '../../../packages/cli/commands/trust/subject.ts';

it('a walk for a subject says its read units, unless DynamoDB reports no size', () => {
  expect(walkText('records', 409_600, 1)).toBe('The table records is read as a whole: about 100 RCU.');
  expect(walkText('records', 409_600, 2)).toContain('about 100 RCU in the first run, and twice that in the second.');
  const unknown =
    'The table records is read as a whole, for an unknown number of RCU, because DynamoDB reports no size for it.';
  expect(walkText('records', 0, 1)).toBe(unknown);
  expect(walkText('records', 0, 2)).toBe(`${unknown} The second run reads it twice.`);
});
