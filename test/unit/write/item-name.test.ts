import { expect, it } from 'vitest';
import { itemName } from '../../../src/client/write/checks/problem.ts';

it('calls a base item in messages what it is: a node, a part of one, an edge', () => {
  expect(itemName('USER-U1', 'USER-U1')).toBe('Node "USER-U1"');
  expect(itemName('USER-U1', 'STATE')).toBe('Part "USER-U1" "STATE"');
  expect(itemName('USER-U1', 'LIKES-USER-U2')).toBe('Edge "USER-U1" "LIKES-USER-U2"');
});
