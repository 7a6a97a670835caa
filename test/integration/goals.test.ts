import { describe, expect, it } from 'vitest';
import goals from '../../examples/goals/edgeloom.config.ts';
import { withTableName } from '../../src/core/model/compile/define-graph.ts';
import { check } from '../../src/trust/check/check.ts';
import { story } from '../support/goals-story.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

describe('the goals example', () => {
  it('shows on each screen what was written, and leaves no drift', async () => {
    const graph = withTableName(goals, uniqueTableName());
    const { store, projectAll } = await testTable(graph);
    const audit = { title: 'Pass the audit', leads: [], teams: ['Data', 'Web'] };
    const speed = { title: 'Halve the page load time', teams: ['Web'] };
    expect(await story({ store, projected: projectAll })).toEqual({
      "the web team's goals": [audit, { ...speed, leads: ['Terui'] }],
      'after the lead has passed from Terui to Tanaka': [audit, { ...speed, leads: ['Tanaka'] }],
      'what Terui leads or contributes to': [{ goal: 'GOAL-audit', role: 'CONTRIBUTOR' }],
      'what Tanaka joined, the latest first': ['GOAL-speed'],
      'due by the end of September': ['Pass the audit'],
      'open goals': 2,
      'subscribers of the first': 40,
      "the web team's goals list, whole": {
        // The objectives, what is below them, and the people and teams of both: a Query and three BatchGetItems.
        calls: 4,
        goals: [
          {
            ...speed,
            leads: ['Tanaka'],
            below: [
              { title: 'Answer 9 of 10 requests from the cache', leads: ['Terui'], teams: ['Data'] },
              { title: 'Serve images half as large', leads: ['Tanaka'], teams: ['Web'] },
              { title: 'Load no font before the text', leads: ['Tanaka'], teams: [] },
            ],
          },
          { ...audit, below: [{ title: 'Review who may read what', leads: ['Terui'], teams: ['Data'] }] },
        ],
      },
    });
    expect((await check(graph, { store, graceMs: 0 })).drift).toEqual({ missing: 0, stale: 0, orphan: 0 });
  });
});
