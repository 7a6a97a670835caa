import type { QueryRequest, ScanSource, Store } from '../../../../src/core/store-port.ts';
import { createProjector } from '../../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../../src/registry/writer-model.ts';
import { throughCalls } from '../../../support/calls.ts';
import { StreamedStore } from '../../../support/streamed-store.ts';
import { toItem } from '../../kernel/values.ts';
import { graphOf, type ModelOptions, PLAIN_OPTIONS } from '../projecting/models.ts';
import { derivedDifferences } from '../projecting/verdict.ts';

/**
 * A worker stands still before each of its calls in turn, until others have changed something and projected it. So whatever two
 * calls a worker has to stand between, one of the schedules has it there.
 */

/** A base item that is put, or deleted where it has no attributes. */
type Write = readonly [source: string, target: string, attributes?: Readonly<Record<string, unknown>>];

/** A change that a worker projects, and what may happen meanwhile. */
interface Interrupted {
  model: Partial<ModelOptions>;
  /** What is there, and projected. */
  before: readonly Write[];
  change: Write;
  meanwhile: Readonly<Record<string, Write>>;
}

const LEAD = { role: 'LEAD' };
const named = (name: string) => ({ name, title: name });

const CHANGES: Readonly<Record<string, Interrupted>> = {
  'a node changes whose edges show what it says': {
    model: { joined: 'MEMBER', copies: 'name' },
    before: [
      ['GOAL-1', 'GOAL-1', named('First')],
      ...[1, 2, 3].map((user): Write => ['GOAL-1', `MEMBER-USER-${user}`, LEAD]),
    ],
    change: ['GOAL-1', 'GOAL-1', named('Second')],
    meanwhile: {
      'an edge goes': ['GOAL-1', 'MEMBER-USER-1'],
      'an edge comes': ['GOAL-1', 'MEMBER-USER-4', LEAD],
      'the node changes again': ['GOAL-1', 'GOAL-1', named('Third')],
    },
  },
  'a node changes that the views of others copy': {
    model: { copies: 'name' },
    before: [
      ['USER-1', 'USER-1', named('First')],
      ...[1, 2, 3].map((goal): Write => [`GOAL-${goal}`, 'MEMBER-USER-1', LEAD]),
    ],
    change: ['USER-1', 'USER-1', named('Second')],
    meanwhile: {
      'an edge goes': ['GOAL-1', 'MEMBER-USER-1'],
      'an edge comes': ['GOAL-4', 'MEMBER-USER-1', LEAD],
      'the node changes again': ['USER-1', 'USER-1', named('Third')],
    },
  },
  'an edge comes that copies a node': {
    model: { copies: 'name' },
    before: [['USER-1', 'USER-1', named('First')]],
    change: ['GOAL-1', 'MEMBER-USER-1', LEAD],
    meanwhile: {
      'the node changes': ['USER-1', 'USER-1', named('Second')],
      'the edge goes': ['GOAL-1', 'MEMBER-USER-1'],
    },
  },
  'an edge changes that is counted': {
    model: { counted: 'MEMBER', totals: 'both' },
    before: [['GOAL-1', 'MEMBER-USER-1', LEAD]],
    change: ['GOAL-1', 'MEMBER-USER-1', { role: 'TEAM' }],
    meanwhile: {
      'the edge changes back': ['GOAL-1', 'MEMBER-USER-1', LEAD],
      'the edge goes': ['GOAL-1', 'MEMBER-USER-1'],
      'another edge comes': ['GOAL-1', 'MEMBER-USER-2', LEAD],
    },
  },
  'an edge changes that is added up': {
    model: { totals: 'both' },
    before: [['GOAL-1', 'WORK-USER-1', { hours: 1, kind: 'code' }]],
    change: ['GOAL-1', 'WORK-USER-1', { hours: 2, kind: 'talk' }],
    meanwhile: {
      'the edge changes back': ['GOAL-1', 'WORK-USER-1', { hours: 1, kind: 'code' }],
      'the edge goes': ['GOAL-1', 'WORK-USER-1'],
      'another edge comes': ['GOAL-2', 'WORK-USER-1', { hours: 4, kind: 'code' }],
    },
  },
};

/** A fan-out that goes on for ever is at no end: after so many pages it is left. */
const MOST_PAGES = 20;

/** The schedules by what the worker projects; each gives what is wrong at the end of the first that goes wrong. */
export const INTERRUPTED: Readonly<Record<string, () => Promise<string[]>>> = Object.fromEntries(
  Object.entries(CHANGES).map(([name, change]) => [name, () => interrupted(change)]),
);

async function interrupted({ model, before, change, meanwhile }: Interrupted): Promise<string[]> {
  for (const [what, write] of Object.entries(meanwhile)) {
    // Each page of a fan-out is projected for itself.
    for (let page = 0, isThere = true; isThere && page < MOST_PAGES; page++) {
      for (let call = 1, isMade = true; isMade; call++) {
        const scene = new Scene({ ...PLAIN_OPTIONS, ...model });
        await scene.begin([...before], change, page);
        isThere = scene.hasRecords;
        isMade = await scene.workUntil(call, write);
        const differences = await scene.differences();
        if (differences.length > 0)
          return differences.map((text) => `${what} before call ${call} of page ${page}: ${text}`);
      }
    }
  }
  return [];
}

/** A table, and workers that visit one item to a page. */
class Scene {
  private readonly graph;
  private readonly table: StreamedStore;
  private projected = 0;

  constructor(private readonly options: ModelOptions) {
    this.graph = graphOf(options);
    this.table = new StreamedStore(this.graph);
  }

  /** Writes and projects what is there; makes the change, and projects so many pages of what comes of it. */
  async begin(before: readonly Write[], change: Write, pages: number): Promise<void> {
    for (const write of before) await this.write(write);
    await this.projectAll();
    await this.write(change);
    for (let page = 0; page < pages; page++) await this.project();
  }

  /** Whether a worker has anything to project. */
  get hasRecords(): boolean {
    return this.projected < this.table.records.length;
  }

  /** A worker projects what there is, and stands still before a call until something else is written and projected. Whether it made the call. */
  async workUntil(call: number, write: Write): Promise<boolean> {
    let calls = 0;
    const store = throughCalls(this.table, async (method, parameters, run) => {
      calls += 1;
      if (calls === call) {
        await this.write(write);
        await this.project();
      }
      const [request] = parameters as [QueryRequest];
      // It shows no write of the last moment, and promises none.
      if (method === 'query' && request.consistent !== true) return { items: [], count: 0, scanned: 0, rcu: 0.5 };
      return await run();
    });
    await this.project(store);
    return calls >= call;
  }

  /** What is wrong when every fan-out is at its end. */
  async differences(): Promise<string[]> {
    await this.projectAll();
    return derivedDifferences(this.options, [...this.table.items()]);
  }

  private async write([source, target, attributes]: Write): Promise<void> {
    await this.table.producer(source, target, attributes && toItem(attributes));
  }

  private async projectAll(): Promise<void> {
    for (let page = 0; page < MOST_PAGES && this.hasRecords; page++) await this.project();
  }

  private async project(store: Store & ScanSource = this.table): Promise<void> {
    const records = this.table.records.slice(this.projected);
    this.projected = this.table.records.length;
    const projector = createProjector(this.graph, { store, model: fixedModel(this.graph), fanOutPageSize: 1 });
    const { error } = await projector.project(records);
    if (error !== undefined) throw error;
  }
}
