import { createReader, createWriter, newId, type Session, type Store } from 'edgeloom';
import { tracker } from './model.ts';

export interface TicketChange {
  title?: string | undefined;
  status?: 'OPEN' | 'DONE' | undefined;
  /** Such as `2026-07-01`. */
  dueDate?: string | undefined;
  /** The user's name, not the node id. */
  assignee?: string | undefined;
}

/** Selects tickets by assignee, by status (next due first), or both. Default: all, newest first. */
export interface TicketFilter {
  status?: 'OPEN' | 'DONE' | undefined;
  assignee?: string | undefined;
}

export type Priority = 'HIGH' | 'NORMAL' | 'LOW';

/** One organization's tracker, as seen by one client: reads include the client's latest writes. */
export function trackerOf(store: Store, org: string, session: Session) {
  const writer = createWriter(tracker, { store }).with(session);
  const reader = createReader(tracker, { store }).with(session);
  const user = (name: string) => `USER-${org}.${name}` as const;
  const project = (name: string) => `PROJECT-${org}.${name}` as const;
  const label = (name: string) => `LABEL-${org}.${name}` as const;
  const ticket = (key: string) => `TICKET-${org}.${key}` as const;

  return {
    async signUp(): Promise<void> {
      await writer.updateNode(`ORG-${org}`, { set: { name: org } }, { upsert: true });
    },
    async addUser(name: string): Promise<void> {
      await writer.putNode(user(name), { org, name }, { ifAbsent: true });
    },
    async addProject(name: string): Promise<void> {
      await writer.putNode(project(name), { org, name }, { ifAbsent: true });
    },

    /** Writes a ticket with its project edge in one transaction, which fails if the project doesn't exist. */
    async open(projectName: string, title: string): Promise<string> {
      const key = newId('TICKET').slice('TICKET-'.length);
      await writer.transact((transaction) => {
        transaction.requireNode(project(projectName));
        transaction.putNode(ticket(key), { org, title }, { ifAbsent: true });
        transaction.putEdge(ticket(key), 'IN_PROJECT', project(projectName), { since: new Date().toISOString() });
      });
      return key;
    },

    /** Changes only the given attributes. If `version` is given, fails if the ticket has changed since. */
    async change(key: string, change: TicketChange, version?: number) {
      const { attributes } = await writer.updateNode(
        ticket(key),
        { set: change },
        version === undefined ? {} : { if: { v: version } },
      );
      return attributes;
    },
    /** Counts concurrent votes correctly, and a retried vote only once. */
    async vote(key: string): Promise<number> {
      return (await writer.updateNode(ticket(key), { add: { votes: 1 } }, { idempotent: true })).attributes.votes;
    },
    async watch(key: string, name: string): Promise<void> {
      await writer.updateNode(ticket(key), { addTo: { watchers: [name] } });
    },
    /**
     * Reopens a done ticket or closes an open one. Uses an update function, because the new status depends on the
     * current one.
     */
    async toggle(key: string) {
      const { attributes } = await writer.updateNode(ticket(key), ({ status, ...rest }) => ({
        ...rest,
        status: status === 'OPEN' ? ('DONE' as const) : ('OPEN' as const),
      }));
      return attributes.status;
    },
    async assign(key: string, name: string, priority: Priority): Promise<void> {
      await writer.putEdge(ticket(key), 'ASSIGNED', user(name), { priority });
    },
    async unassign(key: string, name: string): Promise<void> {
      await writer.deleteEdge(ticket(key), 'ASSIGNED', user(name));
    },
    async addLabel(key: string, name: string): Promise<void> {
      await writer.putEdge(ticket(key), 'LABELLED', label(name), { since: new Date().toISOString() });
    },
    async removeTicket(key: string): Promise<void> {
      await writer.deleteNodeWithEdges(ticket(key));
    },
    /** Imports labels of another system's tickets. Stops when the client disconnects. */
    async importLabels(tickets: AsyncIterable<{ key: string; labels: string[] }>, signal: AbortSignal) {
      async function* entries() {
        for await (const { key, labels } of tickets) {
          for (const name of labels) {
            yield { source: ticket(key), type: 'LABELLED', target: label(name), attributes: { since: '2026' } };
          }
        }
      }
      return await writer.putMany(entries(), { signal });
    },

    /** Reads a ticket and its edges as written, in one consistent Query. */
    async show(key: string) {
      const { node, items } = await reader.getCollection(ticket(key), { consistent: true });
      if (node === null || node === undefined) return null;
      const { watchers, ...attributes } = node.attributes;
      const edges = items.map(({ type, target, attributes: labels }) => ({ type, target, ...labels }));
      return { ...attributes, watchers: [...(watchers ?? [])].sort(), edges };
    },
    async ticketsOf(name: string, options: { cursor?: string; limit?: number }) {
      return await reader.page(user(name), 'ASSIGNED', { reverse: true, with: ['ASSIGNED', 'LABELLED'], ...options });
    },
    async ticketsIn(
      name: string,
      options: { cursor?: string; limit?: number },
      { status, assignee }: TicketFilter = {},
    ) {
      const given = status === undefined ? ([] as const) : ([status] as const);
      if (assignee !== undefined) {
        const order = { order: 'byAssignee', path: [assignee, ...given] } as const;
        return await reader.inbound(project(name), 'IN_PROJECT', { ...order, ...options });
      }
      const order = status === undefined ? { reverse: true } : ({ order: 'byDueDate', path: given } as const);
      return await reader.inbound(project(name), 'IN_PROJECT', { ...order, ...options });
    },
    async find(title: string) {
      return await reader.search('TICKET.title').beginsWith(title, { partition: org });
    },
    async load(name: string) {
      return await reader.inDegree(user(name), 'ASSIGNED');
    },
  };
}

/** For the operators of the tracker. */
export async function organizations(store: Store, cursor?: string) {
  return await createReader(tracker, { store }).nodes('ORG', { cursor });
}

/** A board's query: a project's open tickets, next due first. */
export function boardOf(org: string, project: string) {
  const id = `PROJECT-${org}.${project}` as const;
  return { inbound: [id, 'IN_PROJECT'], order: 'byDueDate', path: ['OPEN'], limit: 20 } as const;
}
