import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { readHead } from '../../registry/head.ts';
import { modelNotice } from '../../registry/notice.ts';
import type { TableStatus } from '../../store/table-description.ts';
import type { PositionOfStream } from './position.ts';
import { projectionStates, readFacts, type Status, type StatusFacts, statusOf } from './status.ts';

export interface TableOfStatus {
  graph: CompiledModel;
  store: Store;
  table: TableStatus;
  hasTtl: boolean;
  position: Pick<PositionOfStream, 'look'> | undefined;
}

export async function tableStatus(of: TableOfStatus): Promise<Status> {
  const position = await of.position?.look();
  return statusOf(of.graph, await tableFacts(of), position, Date.now());
}

export async function tableFacts({
  graph,
  store,
  table,
  hasTtl,
  quarantineRcu,
}: Omit<TableOfStatus, 'position'> & { quarantineRcu?: number | undefined }): Promise<StatusFacts> {
  const head = await readHead({ store, stats: { rcu: 0 } });
  const { isManaged, changes, unready = [] } = await modelNotice(graph, store);
  // A migration doesn't remove what only the table has. The text of such a change names its own remedy.
  const remedyOf = (change: string): string => (unready.includes(change) ? ' Run edgeloom migrate.' : '');
  const differs = isManaged
    ? changes.map((change) => `The table keeps another model: ${change}.${remedyOf(change)}`)
    : [];
  return await readFacts({
    graph,
    store,
    quarantineRcu,
    missing: [
      ...table.lacks.map((lack) => {
        const command = table.addable.includes(lack) ? 'migrate' : 'table update';
        return `The table lacks ${lack}, which the model needs: run edgeloom ${command}.`;
      }),
      ...table.filling.map((name) => `DynamoDB still fills the index ${name}: reads of it fail until it has.`),
      ...(hasTtl
        ? []
        : [
            `TTL is not enabled on ${graph.table.ttl}, so tombstones and progress records stay for ever: run edgeloom table update --ttl ${graph.table.ttl}.`,
          ]),
      ...differs,
    ],
    projections: head === undefined ? [] : projectionStates(head.registry),
  });
}
