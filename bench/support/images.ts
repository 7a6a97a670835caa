import type { Item } from '../../src/core/items/attribute-value.ts';

export type { Item } from '../../src/core/items/attribute-value.ts';

export interface EdgeState {
  source: string;
  target: string;
  role: string;
  date: string;
  version: number;
}

export interface GoalState {
  source: string;
  status: string;
  dueDate: string;
  version: number;
}

/** Has a dozen attributes, of which a model needs only a few. */
export function edgeImage({ source, target, role, date, version }: EdgeState): Item {
  return {
    source: { S: source },
    target: { S: `GOALMEMBERSHIP-${target}` },
    memberRole: { S: role },
    date: { S: date },
    version: { N: String(version) },
    createdBy: { S: 'USER-U31415' },
    createdAt: { S: `${date}T09:30:00.000Z` },
    updatedAt: { S: `${date}T09:30:${String(version % 60).padStart(2, '0')}.000Z` },
    effortHours: { N: '12.5' },
    notify: { BOOL: true },
    channels: { SS: ['email', 'weekly-digest'] },
    note: { S: `Joined ${source} after the planning round; takes part in the weekly review until further notice.` },
  };
}

export function goalImage({ source, status, dueDate, version }: GoalState): Item {
  return {
    source: { S: source },
    target: { S: source },
    title: { S: `Publish what ${source} learned` },
    status: { S: status },
    dueDate: { S: dueDate },
    version: { N: String(version) },
    createdBy: { S: 'USER-U31415' },
    createdAt: { S: '2025-12-01T08:00:00.000Z' },
    updatedAt: { S: `2026-01-01T09:30:${String(version % 60).padStart(2, '0')}.000Z` },
    budget: { N: '15000' },
    confidential: { BOOL: false },
    keyResults: { L: [{ S: 'Two talks given' }, { S: 'One paper accepted' }] },
  };
}
