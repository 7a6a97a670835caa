import * as z from 'zod';
import { readHead } from '../../../src/registry/head.ts';
import { route } from '../base/route.ts';
import type { TimelineMoment } from '../base/timeline.ts';

export interface TimelineAnswer {
  hasRegistry: boolean;
  /** Newest first. */
  moments: TimelineMoment[];
}

export const TIMELINE_ROUTES = [
  route('GET /api/timeline', z.object({}), async ({ store, flow, timeline }): Promise<TimelineAnswer> => {
    await flow.look();
    timeline.addRecords(flow.registryHeads);
    const head = await readHead({ store, stats: { rcu: 0 } });
    if (head !== undefined) timeline.addCurrent(head.registry, Date.now());
    return { hasRegistry: head !== undefined, moments: timeline.moments };
  }),
];
