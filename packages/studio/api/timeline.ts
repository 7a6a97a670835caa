import * as z from 'zod';
import { readHead } from '../../../src/registry/head.ts';
import { route } from '../base/route.ts';
import type { TimelineMoment } from '../base/timeline.ts';

/** The changes of the model that the table has seen. */
export interface TimelineAnswer {
  /** True if the table has a registry. */
  hasRegistry: boolean;
  /** Newest first. */
  moments: TimelineMoment[];
}

/** Changes of the model over time. */
export const TIMELINE_ROUTES = [
  route('GET /api/timeline', z.object({}), async ({ store, flow, timeline }): Promise<TimelineAnswer> => {
    await flow.look();
    timeline.addRecords(flow.registryHeads);
    const head = await readHead({ store, stats: { rcu: 0 } });
    if (head !== undefined) timeline.addCurrent(head.registry, Date.now());
    return { hasRegistry: head !== undefined, moments: timeline.moments };
  }),
];
