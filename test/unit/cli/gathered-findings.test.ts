import { expect, it } from 'vitest';
import { GatheredFindings } from '../../../packages/cli/commands/trust/gathered-findings.ts';
import { UnplacedItems } from '../../../src/trust/check/unplaced-items.ts';
import { goalGraph } from '../../support/contracts-model.ts';

const text = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it('findings and repairs that a file keeps are the same after an interruption as without one', () => {
  const finding = (i: number, verdict: 'quarantined' | 'unknown' | 'pending') =>
    ({ source: `GOAL-${i}`, target: `GOAL-${i}`, verdict, expected: null, actual: `reason ${i % 2}` }) as const;
  const steps = [...Array(8).keys()].map((i) => (gathered: GatheredFindings) => {
    gathered.addFinding(finding(i, 'quarantined'));
    gathered.addFinding(finding(i, 'unknown'));
    gathered.addFinding({ ...finding(i, 'pending'), cause: 'model-change' });
    gathered.addAction(`would repair ${i}`);
  });
  const whole = new GatheredFindings(3);
  for (const step of steps) step(whole);
  for (let cut = 0; cut <= steps.length; cut++) {
    const first = new GatheredFindings(3);
    for (const step of steps.slice(0, cut)) step(first);
    const second = new GatheredFindings(3);
    second.restore(text(first.save()));
    for (const step of steps.slice(cut)) step(second);
    expect({ cut, saved: second.save() }).toEqual({ cut, saved: whole.save() });
  }
  expect(whole.save()).toMatchObject({ leftOut: { quarantined: 5 }, actionsLeftOut: 5, ofChange: 8 });
});

it('a repair that is planned again after an interruption is listed once', () => {
  const first = new GatheredFindings(3);
  first.addAction('would repair 1');
  const second = new GatheredFindings(3);
  second.restore(text(first.save()));
  second.addAction('would repair 1');
  expect([...second.actions]).toEqual(['would repair 1']);
});

it('a file of another command is refused', () => {
  expect(() => new GatheredFindings(3).restore({ refusals: [] })).toThrow();
});

it('items of unknown types are counted on after an interruption', () => {
  const key = (i: number) => ({ source: `invoice#${i}`, target: `line#${i}` });
  const [whole, first, second] = [1, 2, 3].map(() => new UnplacedItems(goalGraph()));
  for (let i = 0; i < 6; i++) {
    whole!.add(key(i));
    (i < 2 ? first : second)!.add(key(i));
    if (i === 1) second!.restore(text(first!.count) as UnplacedItems['count']);
  }
  expect(second!.count).toEqual(whole!.count);
});
