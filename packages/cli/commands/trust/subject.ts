import type { Command } from 'commander';
import { toPlainItem } from '../../../../src/core/items/plain.ts';
import { withoutBookkeeping } from '../../../../src/core/model/mirrored.ts';
import { losslessNumber, toJson } from '../../../../src/foundation/exact-json.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable, printableLines } from '../../../../src/foundation/printable.ts';
import { createStreamsClient } from '../../../../src/store/client.ts';
import { describeTable, serverTime } from '../../../../src/store/table-description.ts';
import { listObjects } from '../../../../src/trust/failures/bucket-list.ts';
import { bucketAccess } from '../../../../src/trust/failures/failure-queue.ts';
import { type ErasedItems, eraseSubject, type SubjectErasure } from '../../../../src/trust/subject/erase-subject.ts';
import { exportSubject } from '../../../../src/trust/subject/export-subject.ts';
import { failedBatchEraser } from '../../../../src/trust/subject/failed-batches.ts';
import { outsideTheTable } from '../../../../src/trust/subject/remainders.ts';
import { walkRcu } from '../../../../src/trust/subject/subject-walk.ts';
import { askToConfirm } from '../../shared/ask-to-confirm.ts';
import { interruptible } from '../../shared/interruptible.ts';
import { examples, type RateFlags, readRateOption, wholeNumber, writeRateOption } from '../../shared/options.ts';
import { requireHomeRegion } from '../../shared/position.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';

const LEFT = 1;
const STOPPED = 2;

interface WalkFlags extends Pick<RateFlags, 'maxRcu'> {
  segments?: number;
}

interface EraseFlags extends WalkFlags, RateFlags {
  dryRun?: boolean;
  yes?: boolean;
  again?: boolean;
  bucket?: string[];
}

const EXPORT_HELP = `
One line of JSON for each item: its attributes with "source" and "target", as import takes base items. First the node's partition: node,
parts, edges that leave it, derived items. Then items of other partitions: edges that enter it, derived items, and items with the id in an
attribute. Of items that are about others only what names the node is given. The table is read once as a whole, since an edge may be in no
list; stderr says the read units before, and the number of items at the end. No line: the id is nowhere in the table.
`;

const ERASE_HELP = `
Two runs are needed. The first one deletes the node, its parts, its edges both ways and every other base item of its partition, also of
types outside the model, and reconciles quarantine entries and failed batches that name it. Consumers then replace derived items by
tombstones, which still name the node and hold off late writes. The output says when the second run is due: 49 hours later. It
deletes them and the groups of counts at zero, repairs what consumers have left, and reads the table again until no key, and no name or value
of an attribute, has the id. Base items of mirrored types are listed only: they follow their source items.

Each run may be interrupted and made again. Between the runs the table keeps a record under a hash of the id. If producers write the node, or
an edge to it, after the first run, the second one reports that and leaves it; --again erases that too. The report names what a person has
to do: attributes of others that hold the id, the stream (24 hours), backups, exports, logs.

Exit code: 0 when a read of the whole table has found no such text, 1 while something is left (with --dry-run: while an item names the
node), 2 after a failure or an interruption.
Rights: dynamodb:DescribeTable, Scan, Query, GetItem, BatchGetItem, BatchWriteItem, DeleteItem, UpdateItem, PutItem, TransactWriteItems on
the table and its indexes; with --bucket also s3:ListBucket, s3:GetObject, s3:DeleteObject. A queue of failed batches is emptied by
redrive, between the two runs.
`;

export function subjectCommand(subject: Command): void {
  subject.addHelpText('after', examples('subject export USER-U1', 'subject erase USER-U1 --dry-run'));
  withWalk(subject.command('export'))
    .description('print every item that names a node, as JSON lines')
    .argument('<id>', 'id of a node')
    .addHelpText('after', EXPORT_HELP + examples('subject export USER-U1 > user-u1.jsonl'))
    .action(inSession(runExport));
  withWalk(subject.command('erase'))
    .description('delete a node and everything derived from it, in two runs; reports what remains')
    .argument('<id>', 'id of a node')
    .option('--dry-run', 'show the items that name the node, and delete nothing')
    .option('--yes', "don't ask for confirmation")
    .option('--again', 'also erase what was written after the first run')
    .option('--bucket <name...>', 'buckets with failed batches: reconcile and delete the batches that name the node')
    .addOption(writeRateOption())
    .addHelpText(
      'after',
      ERASE_HELP +
        examples(
          'subject erase USER-U1 --dry-run',
          'subject erase USER-U1 --yes --bucket my-failed-batches',
          'subject erase USER-U1 --yes --again',
        ),
    )
    .action(inSession(runErase));
}

function withWalk(command: Command): Command {
  return command
    .option('--segments <n>', 'number of parts of the table to read in parallel (default: 8)', wholeNumber)
    .addOption(readRateOption());
}

async function runExport(session: CommandSession, id: string, flags: WalkFlags) {
  const { graph, store, client } = session;
  const { itemCount, sizeBytes } = await describeTable(graph, { client });
  process.stderr.write(`${walkText(graph.table.name, sizeBytes, 1)}
`);
  const { items, isWhole } = await interruptible('items', itemCount, ({ remainingMs, cutOff, update }) =>
    exportSubject(graph, {
      ...{ store, id, ...flags, remainingMs, signal: cutOff },
      onProgress: (read) => update(read, Math.max(read, itemCount)),
      onItem: ({ source, target, item }) => {
        const { [graph.table.partitionKey]: _source, [graph.table.sortKey]: _target, ...rest } = item;
        const line = { source, target, ...toPlainItem(withoutBookkeeping(rest), losslessNumber) };
        process.stdout.write(`${printableLines(toJson(line))}\n`);
      },
    }),
  );
  const { base, derived, entry, mention } = items;
  const counts = [
    countText(base, 'base item'),
    countText(derived, 'derived item'),
    countText(entry, 'quarantine entry', 'quarantine entries'),
    countText(mention, 'mention'),
  ];
  process.stderr.write(`${printable(id)}: ${counts.join(', ')}\n`);
  if (!isWhole) {
    process.exitCode = STOPPED;
    process.stderr.write('stopped before the end of the table: run it again\n');
  }
  return { json: undefined, text: '' };
}

async function runErase(session: CommandSession, id: string, flags: EraseFlags) {
  const { graph, store, client } = session;
  const { dryRun, yes, again, segments, maxRcu, maxWcu, bucket = [] } = flags;
  const { itemCount, sizeBytes } = await describeTable(graph, { client });
  await requireHomeRegion(session);
  const plan = [
    `${printable(id)}, its parts, its edges both ways and everything derived of them are deleted from the table ${graph.table.name}.`,
    walkText(graph.table.name, sizeBytes, 2),
  ];
  if (dryRun !== true && yes !== true) await askToConfirm(plan, 'Erase it for good?');
  else process.stderr.write(`${walkText(graph.table.name, sizeBytes, dryRun === true ? 1 : 2)}\n`);
  const streams = createStreamsClient(session.settings.client);
  try {
    const { endpoint: _, ...service } = session.settings.client;
    const buckets = bucketAccess(service);
    const batches = { ...buckets, streams, buckets: bucket, listObjects: (name: string) => listObjects(service, name) };
    const result = await interruptible('items', itemCount, ({ remainingMs, cutOff, update }) =>
      eraseSubject(graph, {
        ...{ store, id, dryRun, again, segments, maxRcu, maxWcu, remainingMs, signal: cutOff },
        serverTime: () => serverTime(graph, { client }),
        onProgress: (read) => update(read, Math.max(read, itemCount)),
        ...(bucket.length > 0 && { eraseFailedBatches: failedBatchEraser(graph, { ...batches, store }) }),
      }),
    );
    return eraseOutput(id, result, { dryRun });
  } finally {
    streams.destroy();
  }
}

/** Places outside the table. A dry run doesn't search them, so it can only say that they may name the subject. */
const OUTSIDE = new Set(outsideTheTable().map(({ where }) => where));

function eraseOutput(id: string, result: SubjectErasure, { dryRun: isDryRun = false }: Pick<EraseFlags, 'dryRun'>) {
  const { deleted, remains, isDone, next, isWrittenAgain, isStopped, rcu, wcu } = result;
  if (isStopped) process.exitCode = STOPPED;
  else if (isDryRun ? remains.some(({ where }) => !OUTSIDE.has(where)) : !isDone) process.exitCode = LEFT;
  const lines = [
    ...(isDryRun ? [] : [`deleted: ${deletedText(deleted)}`]),
    ...remains.map(
      ({ where, what }) =>
        `${isDryRun ? (OUTSIDE.has(where) ? 'may name it' : 'names it') : 'remains'}: ${printable(where)}: ${printable(what)}`,
    ),
    ...(isDryRun ? ['a dry run: nothing was deleted'] : []),
    ...(isDryRun ? [] : [...nothingText(id, result), endText(id, result)]),
  ];
  return {
    json: {
      deleted,
      remains,
      done: isDone,
      next: next ?? null,
      writtenAgain: isWrittenAgain,
      stopped: isStopped,
      rcu,
      wcu,
    },
    text: lines.join('\n'),
  };
}

const ERASED: { readonly [Kind in keyof ErasedItems]: readonly [string, string] } = {
  nodes: ['node', 'nodes'],
  parts: ['part', 'parts'],
  edges: ['edge', 'edges'],
  unknown: ['item of no type of the model', 'items of no type of the model'],
  derived: ['derived item', 'derived items'],
  entries: ['quarantine entry', 'quarantine entries'],
  failedBatches: ['failed batch', 'failed batches'],
};

function deletedText(deleted: ErasedItems): string {
  const kinds = Object.keys(ERASED) as (keyof ErasedItems)[];
  const some = kinds.filter((kind) => deleted[kind] > 0).map((kind) => countText(deleted[kind], ...ERASED[kind]));
  return some.join(', ') || 'nothing';
}

function nothingText(id: string, { deleted, remains, next }: SubjectErasure): string[] {
  const isNone =
    Object.values(deleted).every((count) => count === 0) && remains.every(({ where }) => OUTSIDE.has(where));
  if (!isNone || next === undefined) return [];
  return [
    `no item names ${printable(id)}, perhaps because the id is wrong; a change that consumers still project may name it, so the second run looks again`,
  ];
}

function endText(id: string, { isDone, next, isWrittenAgain, isStopped }: SubjectErasure): string {
  if (isStopped) return 'stopped before its end: run it again';
  if (isDone)
    return `done: no key, and no name or value of an attribute in the table is known to hold ${printable(id)}`;
  if (isWrittenAgain) return `${printable(id)} was written again after the first run: erase that with --again`;
  if (next !== undefined) return `next: run it again from ${next} on`;
  return 'left: change what still names it, then run it again';
}

/** @param sizeBytes as DynamoDB reports it: 0 for a new table and on some local engines. */
export function walkText(table: string, sizeBytes: number, walks: number): string {
  const isRead = `The table ${table} is read as a whole`;
  if (sizeBytes === 0) {
    const later = walks === 1 ? '' : ' The second run reads it twice.';
    return `${isRead}, for an unknown number of RCU, because DynamoDB reports no size for it.${later}`;
  }
  const later = walks === 1 ? '' : ' in the first run, and twice that in the second';
  return `${isRead}: about ${figureText(walkRcu(sizeBytes))} RCU${later}.`;
}
