import { describe, expect, it } from 'vitest';
import { rulesPage } from '../simulator/planted/table.ts';

describe('planted bugs', () => {
  it('stand in the table of rules', async () => {
    await expect(rulesPage()).toMatchFileSnapshot('../simulator/RULES.md');
  });
});
