import { createGoals } from '../../examples/goals/goals.ts';
import type { Place } from '../../examples/one-to-many/example.ts';

/** A small company's goals: writes them, changes some, and gives what each screen shows. */
export async function story({ store, projected }: Place): Promise<Record<string, unknown>> {
  const app = createGoals(store);
  await app.addUser('terui', 'Terui');
  await app.addUser('tanaka', 'Tanaka');
  await app.addTeam('web', 'Web');
  await app.addTeam('data', 'Data');
  await app.setGoal('speed', { title: 'Halve the page load time', status: 'open', dueDate: '2026-12-31' });
  await app.setGoal('audit', { title: 'Pass the audit', status: 'open', dueDate: '2026-09-30' });
  await app.assign('speed', 'TEAM-web', 'TEAM', '2026-07-01');
  await app.assign('speed', 'USER-terui', 'LEAD', '2026-07-01');
  await app.assign('speed', 'USER-tanaka', 'CONTRIBUTOR', '2026-07-15');
  await app.assign('audit', 'TEAM-web', 'TEAM', '2026-08-01');
  await app.assign('audit', 'TEAM-data', 'TEAM', '2026-08-01');
  await app.assign('audit', 'USER-terui', 'CONTRIBUTOR', '2026-08-01');
  for (let i = 0; i < 40; i++) await app.subscribe('speed', `fan${i}`, '2026-08-02');
  await projected();
  const before = await app.teamPage('web');
  await app.assign('speed', 'USER-tanaka', 'LEAD', '2026-07-15');
  await app.unassign('speed', 'USER-terui');
  await projected();
  const screens = {
    "the web team's goals": before,
    'after the lead has passed from Terui to Tanaka': await app.teamPage('web'),
    'what Terui leads or contributes to': await app.ownGoals('terui'),
    'what Tanaka joined, the latest first': await app.joined('tanaka'),
    'due by the end of September': await app.dueBy('2026-09-30'),
    'open goals': await app.openGoals(),
    'subscribers of the first': await app.subscribers('speed'),
  };
  await app.addObjective('web', 'speed', '1');
  await app.addObjective('web', 'audit', '2');
  await app.addKeyResult('speed', 'images', 'Serve images half as large', 'tanaka', 'web');
  await app.addKeyResult('speed', 'cache', 'Answer 9 of 10 requests from the cache', 'terui', 'data');
  await app.addKeyResult('audit', 'access', 'Review who may read what', 'terui', 'data');
  await app.setGoal('fonts', { title: 'Load no font before the text', status: 'open', dueDate: '2026-11-30' });
  await app.assign('fonts', 'USER-tanaka', 'LEAD', '2026-07-20');
  await app.addSubgoal('speed', 'fonts');
  await projected();
  return { ...screens, "the web team's goals list, whole": await app.goalsList('web') };
}
