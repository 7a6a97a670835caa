import { createReader, createWriter, type Store } from 'edgeloom';
import type { Neighbor, PageNode } from 'edgeloom/types';
import graph from './edgeloom.config.ts';

export type Role = 'LEAD' | 'CONTRIBUTOR' | 'TEAM';

export type Member = `USER-${string}` | `TEAM-${string}` | `ORG-${string}`;

/** Serves each screen of the product in as few reads as possible. */
export function createGoals(store: Store) {
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  return {
    addUser: (id: string, name: string) => writer.putNode(`USER-${id}`, { name }),
    addTeam: (id: string, name: string) => writer.putNode(`TEAM-${id}`, { name }),
    setGoal: (id: string, goal: { title: string; status: string; dueDate: string }) =>
      writer.putNode(`GOAL-${id}`, goal),
    /** Adds a member to a goal or changes their role: either is a plain put. */
    assign: (goal: string, member: Member, memberRole: Role, date: string) =>
      writer.putEdge(`GOAL-${goal}`, 'GOALMEMBERSHIP', member, { memberRole, date }),
    addObjective: (team: string, goal: string, rank: string) =>
      writer.putEdge(`GOAL-${goal}`, 'TEAMGOAL', `TEAM-${team}`, { rank }),
    async addKeyResult(goal: string, id: string, title: string, lead: string, team: string) {
      await writer.putNode(`KEYRESULT-${id}`, { title });
      await writer.putEdge(`GOAL-${goal}`, 'KEYRESULT', `KEYRESULT-${id}`);
      await writer.putEdge(`KEYRESULT-${id}`, 'GOALMEMBERSHIP', `USER-${lead}`, { memberRole: 'LEAD' });
      await writer.putEdge(`KEYRESULT-${id}`, 'GOALMEMBERSHIP', `TEAM-${team}`, { memberRole: 'TEAM' });
    },
    addSubgoal: (goal: string, below: string) => writer.putEdge(`GOAL-${goal}`, 'SUBGOAL', `GOAL-${below}`),
    unassign: (goal: string, member: Member) => writer.deleteEdge(`GOAL-${goal}`, 'GOALMEMBERSHIP', member),
    subscribe: (goal: string, user: string, since: string) =>
      writer.putEdge(`GOAL-${goal}`, 'GOALSUBSCRIBER', `USER-${user}`, { since }),

    /** Returns a team's goals with the names of their leads and teams, in three steps however many goals there are. */
    async teamPage(team: string) {
      const { items } = await reader.page(`TEAM-${team}`, 'GOALMEMBERSHIP', {
        with: [
          { type: 'GOALMEMBERSHIP', label: 'LEAD' },
          { type: 'GOALMEMBERSHIP', label: 'TEAM' },
        ],
      });
      return items.map(({ attributes, edges }) => ({ title: attributes?.title, ...namesOf(edges.GOALMEMBERSHIP) }));
    },
    /**
     * Returns a team's objectives with their key results and sub-objectives, and the leads and teams of each. Takes a
     * Query and three BatchGetItems (for up to 100 of each).
     */
    async goalsList(team: string) {
      const people = ['GOALMEMBERSHIP:LEAD', 'GOALMEMBERSHIP:TEAM'] as const;
      const { items, calls } = await reader.page(`TEAM-${team}`, 'TEAMGOAL', {
        with: [...people, { edge: 'KEYRESULT', with: people }, { edge: 'SUBGOAL', with: people }],
      });
      const goals = items.map(({ attributes, edges }) => ({
        title: attributes?.title,
        ...namesOf(edges.GOALMEMBERSHIP),
        below: [...edges.KEYRESULT, ...edges.SUBGOAL].map(({ node }) => {
          return { title: node.attributes?.title, ...namesOf(node.edges.GOALMEMBERSHIP) };
        }),
      }));
      return { calls, goals };
    },
    /** Returns the goals that a user leads or contributes to: "at least CONTRIBUTOR" is one range of the rank. */
    async ownGoals(user: string) {
      const { items } = await reader.inbound(`USER-${user}`, 'GOALMEMBERSHIP', {
        atLeast: 'CONTRIBUTOR',
        reverse: true,
      });
      return items.map(({ source, attributes }) => ({ goal: source, role: attributes.memberRole }));
    },
    /** Returns a user's goals, most recently joined first. */
    async joined(user: string) {
      const { items } = await reader.inbound(`USER-${user}`, 'GOALMEMBERSHIP', { order: 'byDate', reverse: true });
      return items.map(({ source }) => source);
    },
    /** Returns goals due by a day, earliest first. */
    async dueBy(day: string) {
      const { items } = await reader.search('GOAL.dueDate').between(undefined, day);
      return items.map(({ attributes }) => attributes.title);
    },
    openGoals: async () => (await reader.search('GOAL.status').count({ equals: 'open' })).count,
    subscribers: (goal: string) => reader.degree(`GOAL-${goal}`, 'GOALSUBSCRIBER'),
  };
}

function namesOf(members: readonly Neighbor<{ memberRole?: unknown }, PageNode<Member, { name?: unknown }>>[]) {
  const names = (role: Role): unknown[] =>
    members.filter(({ edge }) => edge.memberRole === role).map(({ node }) => node.attributes?.name);
  return { leads: names('LEAD'), teams: names('TEAM') };
}
