import { withTableName } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { createWorker } from '../../../src/projecting/worker/worker.ts';
import { createClient, createStreamsClient } from '../../../src/store/client.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import type { Thing } from './account.ts';

/** The stream function of each event source mapping that is enabled: a worker that follows the table's stream. */
export class Projectors {
  readonly #running = new Map<Thing, { worker: ReturnType<typeof createWorker>; ended: Promise<unknown> }>();

  constructor(
    private readonly endpoint: string,
    private readonly model: () => Promise<CompiledModel>,
  ) {}

  /** @param streamArn the stream that the mapping names, if the table still has it. */
  async start(mapping: Thing, streamArn: string | undefined): Promise<void> {
    // A mapping whose stream was switched off stays, and gets nothing.
    if (streamArn === undefined || mapping.properties['Enabled'] !== true || this.#running.has(mapping)) return;
    const table = /:table\/([^/]+)/.exec(streamArn)![1]!;
    const graph = withTableName(await this.model(), table);
    const { endpoint } = this;
    const store = new DynamoDBStore(createClient({ endpoint }), graph.table);
    const streams = createStreamsClient({ endpoint });
    const worker = createWorker(graph, { store, streams, streamArn, pollIntervalMs: 50 });
    this.#running.set(mapping, { worker, ended: worker.run() });
  }

  async stop(mapping: Thing): Promise<void> {
    const running = this.#running.get(mapping);
    this.#running.delete(mapping);
    await running?.worker.stop();
    await running?.ended;
  }

  /** Stops those that follow the stream of a table. */
  async stopOn(table: string): Promise<void> {
    for (const mapping of [...this.#running.keys()]) {
      if (mapping.properties['EventSourceArn'].includes(`:table/${table}/`)) await this.stop(mapping);
    }
  }

  async stopAll(): Promise<void> {
    for (const mapping of [...this.#running.keys()]) await this.stop(mapping);
  }
}
