import type { Store } from 'edgeloom';
import type { Routes } from '../rest.ts';
import { createGoals, type Member } from './goals.ts';

export function routes(store: Store): Routes {
  const goals = createGoals(store);
  return {
    'PUT /users/:id': ({ names: [id], body }) => goals.addUser(id!, body.name),
    'PUT /teams/:id': ({ names: [id], body }) => goals.addTeam(id!, body.name),
    'PUT /goals/:id': ({ names: [id], body }) => goals.setGoal(id!, body),
    'PUT /goals/:id/members/:member': ({ names: [id, member], body: { memberRole, date } }) =>
      goals.assign(id!, member as Member, memberRole, date),
    'DELETE /goals/:id/members/:member': ({ names: [id, member] }) => goals.unassign(id!, member as Member),
    'PUT /goals/:id/key-results/:keyResult': ({ names: [id, keyResult], body: { title, lead, team } }) =>
      goals.addKeyResult(id!, keyResult!, title, lead, team),
    'PUT /goals/:id/subgoals/:below': ({ names: [id, below] }) => goals.addSubgoal(id!, below!),
    'PUT /goals/:id/subscribers/:user': ({ names: [id, user], body }) => goals.subscribe(id!, user!, body.since),
    'PUT /teams/:id/objectives/:goal': ({ names: [id, goal], body }) => goals.addObjective(id!, goal!, body.rank),
    'GET /teams/:id': ({ names: [id] }) => goals.teamPage(id!),
    'GET /teams/:id/objectives': ({ names: [id] }) => goals.goalsList(id!),
    'GET /users/:id/goals': ({ names: [id] }) => goals.ownGoals(id!),
    'GET /goals': ({ query }) => goals.dueBy(query.get('due') ?? '9999-12-31'),
    'GET /goals/open': async () => ({ count: await goals.openGoals() }),
    'GET /goals/:id/subscribers': async ({ names: [id] }) => ({ count: await goals.subscribers(id!) }),
  };
}
