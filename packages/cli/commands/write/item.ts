import type { Command } from 'commander';
import type { Capacity } from '../../../../src/client/call/capacity.ts';
import { ConditionFailedError, type WriteConditions } from '../../../../src/client/write/item/conditions.ts';
import { type ItemWords, itemCalls } from '../../../../src/client/write/item-calls.ts';
import { createWriter, type Writer } from '../../../../src/client/write/writer.ts';
import { attributeOf } from '../../../../src/core/items/attribute-value.ts';
import { typePrefix } from '../../../../src/core/items/keys.ts';
import { ExactNumber, toPlain, toPlainItem } from '../../../../src/core/items/plain.ts';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { withoutBookkeeping } from '../../../../src/core/model/mirrored.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { losslessNumber, toJson } from '../../../../src/foundation/exact-json.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { attributesOfJson, attributeValues, collectValue } from '../../shared/attribute-values.ts';
import {
  examples,
  exitCodes,
  type RateFlags,
  readRateOption,
  refuseBeside,
  refuseWithout,
  writeRateOption,
} from '../../shared/options.ts';
import type { Output } from '../../shared/output.ts';
import { endingOnSignal } from '../../shared/signals.ts';
import { inTable, sessionReader, type TableSession } from '../../shared/table-session.ts';
import { sayAbsent } from '../read/answer.ts';

const ATTRIBUTES = 'ATTRIBUTE=VALUE… or JSON';

interface ConditionOptions {
  ifAbsent?: boolean;
  ifPresent?: boolean;
  if?: string[];
}

export function putCommand(command: Command): void {
  withConditions(withAbsence(command))
    .argument('<words...>', `ID, ID PART, or SOURCE TYPE TARGET; then ${ATTRIBUTES}`)
    .addHelpText(
      'after',
      examples(
        `put USER-U1 '{"name":"Ada"}' --if-absent`,
        'put USER-U1 STATE status=online',
        `put GOAL-G1 GOALMEMBERSHIP USER-U1 '{"memberRole":"LEAD"}'`,
      ),
    )
    .action(
      inTable(async (session, words: string[], options: ConditionOptions) => {
        const { subject, attributes = {} } = parseWords(session.graph, words, 'needed');
        const conditions = { ...conditionsOf(options), capacity: true };
        const { capacity } = await itemCalls(openWriter(session), subject).put(attributes, conditions);
        return outputOfWrite(session, subject, capacity!);
      }),
    );
}

export function updateCommand(command: Command): void {
  withConditions(withAbsence(command))
    .argument('<words...>', `ID, ID PART, or SOURCE TYPE TARGET; then ${ATTRIBUTES} (optional with --remove)`)
    .option('--remove <attribute>', 'remove this attribute; repeatable', collectValue)
    .option('--upsert', "create the item if it doesn't exist")
    .addHelpText(
      'after',
      examples(
        'update GOAL-G1 status=DONE points=3 --remove dueDate',
        `update GOAL-G1 '{"status":"DONE"}'`,
        `update USER-U1 STATE '{"status":"away"}'`,
        `update GOAL-G1 GOALMEMBERSHIP USER-U1 '{"memberRole":"LEAD"}' --if memberRole=CONTRIBUTOR`,
      ),
    )
    .action(
      inTable(async (session, words: string[], options: ConditionOptions & { remove?: string[]; upsert?: boolean }) => {
        const taken = options.remove === undefined ? 'needed' : 'taken';
        const { subject, attributes = {} } = parseWords(session.graph, words, taken);
        const change = { set: attributes, remove: options.remove ?? [] };
        const item = itemCalls(openWriter(session), subject);
        const all = { ...conditionsOf(options), upsert: options.upsert, capacity: true };
        const { capacity } = await withFormHint(attributes, async () => item.update(change, all));
        return outputOfWrite(session, subject, capacity!);
      }),
    );
}

/** Fields of a library update. The command takes JSON and options instead. */
const PARTS_OF_LIBRARY = ['set', 'remove', 'add', 'addTo', 'deleteFrom'];

/** Adds a hint about the command's syntax if the refused attributes look like a library update. */
async function withFormHint<T>(attributes: object, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const names = Object.keys(attributes);
    const isWrapped = names.length > 0 && names.every((name) => PARTS_OF_LIBRARY.includes(name));
    if (!isWrapped || !(error instanceof EdgeloomError) || error.code !== 'invalid-attribute') throw error;
    const hint = `Give the attributes themselves, without ${names.join(' and ')} around them: '{"status":"DONE"}', and --remove ATTRIBUTE for those to remove.`;
    throw new EdgeloomError(error.code, error.message, hint, { cause: error });
  }
}

export function deleteCommand(command: Command): void {
  withConditions(command)
    .argument('<words...>', 'ID, ID PART, or SOURCE TYPE TARGET')
    .option('--with-edges', 'delete a node with its parts and the edges that leave and enter it')
    .addOption(readRateOption())
    .addOption(writeRateOption())
    .option('--force', 'delete a node that has versions, whatever its version is')
    .addHelpText(
      'after',
      examples(
        'delete GOAL-G1 GOALMEMBERSHIP USER-U1',
        'delete USER-U1 STATE',
        'delete USER-U1 --if status=CLOSED',
        'delete GOAL-G1 --with-edges --max-rcu 500 --max-wcu 200',
      ) +
        exitCodes({
          0: 'the item was deleted',
          1: 'there was no such item',
          2: 'a condition did not hold, or a failure',
        }),
    )
    .action(
      inTable(async (session, words: string[], options: DeleteFlags) => {
        const { subject } = parseWords(session.graph, words, 'refused');
        const writer = openWriter(session);
        if (options.withEdges) return await deleteWithEdges(writer, subject, options);
        refuseWithout('--with-edges', { ...options }, ['maxRcu', 'maxWcu']);
        const version = options.force === true ? await storedVersion(session, subject) : {};
        const asked = conditionsOf(options);
        const isAsked = Object.values(asked).some((condition) => condition !== undefined);
        const conditions = { ...asked, ...version };
        try {
          // Without `ifPresent`, deleting a missing item would succeed silently.
          const ifPresent = isAsked ? conditions.ifPresent : true;
          const { capacity } = await itemCalls(writer, subject).delete({ ...conditions, ifPresent, capacity: true });
          return { json: { item: null, capacity }, text: `deleted (${figureText(capacity!.wcu)} WCU)` };
        } catch (error) {
          if (isAsked || !(error instanceof ConditionFailedError) || error.current !== null) throw error;
          return outputOfAbsent({ item: null }, subject);
        }
      }),
    );
}

interface DeleteFlags extends ConditionOptions, RateFlags {
  force?: boolean;
  withEdges?: boolean;
}

async function deleteWithEdges(
  writer: Writer<CompiledModel>,
  subject: ItemWords,
  options: DeleteFlags,
): Promise<Output> {
  refuseBeside('--with-edges', { ...options }, ['if', 'ifPresent', 'force']);
  if (!('id' in subject) || subject.part !== undefined)
    throw new EdgeloomError('usage', '--with-edges is about a node.', 'Name a node by its id, or leave it out.');
  const { maxRcu, maxWcu } = options;
  const { id } = subject;
  const result = await endingOnSignal('Run it again: it deletes what is left.', () =>
    writer.deleteNodeWithEdges(id, { capacity: true, maxRcu, maxWcu }),
  );
  const { nodes, parts, edges, skipped, notFound, capacity } = result;
  if (nodes + parts + edges === 0) return outputOfAbsent({ item: null, ...result }, subject);
  const counts = [countText(nodes, 'node'), countText(parts, 'part'), countText(edges, 'edge')];
  const lines = [
    `deleted ${counts.join(', ')} (${figureText(capacity!.wcu)} WCU)`,
    ...(skipped > 0 ? [`left alone: ${countText(skipped, 'item')} of types outside the model`] : []),
    ...(notFound.length > 0
      ? [`edges of ${notFound.join(', ')} that enter it may be left: edgeloom check --dangling names these`]
      : []),
  ];
  return { json: { item: null, ...result }, text: lines.join('\n') };
}

function outputOfAbsent(json: object, subject: ItemWords): Output {
  const name = 'id' in subject ? [subject.id, subject.part ?? ''] : [subject.source, subject.type, subject.target];
  sayAbsent([`There is no item ${name.join(' ').trimEnd()}.`]);
  return { json, text: '' };
}

function withAbsence(command: Command): Command {
  return command.option('--if-absent', "only if the item doesn't exist");
}

function withConditions(command: Command): Command {
  return command
    .option('--if-present', 'only if the item exists')
    .option(
      '--if <attribute=value>',
      'only if the attribute has this value (JSON, or a text); repeatable',
      collectValue,
    );
}

/**
 * Parses a node, a part or an edge, followed by attributes: one JSON document or ATTRIBUTE=VALUE words. The second word
 * is a part if the type declares it.
 */
function parseWords(
  graph: CompiledModel,
  words: readonly string[],
  document: 'needed' | 'taken' | 'refused',
): { subject: ItemWords; attributes?: Record<string, unknown> } {
  const [first = '', second = '', third = ''] = words;
  const parts = graph.nodes.get(typePrefix(first) ?? '')?.parts;
  const isOfPart = parts?.has(second) === true && (words.length < 4 || isPair(third));
  const named = isOfPart ? 2 : words.length < 3 || isPair(second) ? 1 : 3;
  const rest = words.slice(named);
  const isOfPairs = rest.length > 0 && rest.every(isPair);
  const isRight =
    rest.length === 0 ? document !== 'needed' : document !== 'refused' && (isOfPairs || rest.length === 1);
  if (words.length > 0 && isRight) {
    const ofNode = { id: first, ...(isOfPart && { part: second }) };
    const subject = named < 3 ? ofNode : { source: first, type: second, target: third };
    if (rest.length === 0) return { subject };
    return { subject, attributes: isOfPairs ? attributeValues('', rest) : attributesOfJson(rest[0]!) };
  }
  const ofParts =
    parts === undefined || parts.size === 0 ? '' : `, a part of it (${[...parts.keys()].join(', ')}) by ID PART`;
  const attributes = document === 'needed' ? `, and give its attributes as ${ATTRIBUTES}` : '';
  const hint = `Name a node by its id${ofParts}, or an edge by SOURCE TYPE TARGET${attributes}.`;
  const count = words.length;
  throw new EdgeloomError('usage', `${count === 1 ? '1 word names' : `${count} words name`} no item.`, hint);
}

/** Distinguishes `status=DONE` from JSON and from an id that contains `=`. */
function isPair(word: string): boolean {
  const end = word.indexOf('=');
  return end > 0 && !/^\s*[{["]/.test(word) && typePrefix(word.slice(0, end)) === undefined;
}

function conditionsOf({ ifAbsent, ifPresent, if: pairs = [] }: ConditionOptions): WriteConditions {
  return { ifAbsent, ifPresent, ...(pairs.length > 0 && { if: attributeValues('--if', pairs) }) };
}

async function storedVersion({ graph, store }: TableSession, subject: ItemWords): Promise<WriteConditions> {
  if (!('id' in subject) || subject.part !== undefined) return {};
  const version = graph.nodes.get(typePrefix(subject.id) ?? '')?.versionAttribute;
  if (version === undefined) return {};
  const { item } = await store.get({ source: subject.id, target: subject.id }, { consistent: true });
  const stored = item && attributeOf(item, version);
  return { if: { [version]: stored && toPlain(stored, (text) => new ExactNumber(text)) } };
}

function openWriter({ graph, store }: TableSession): Writer<CompiledModel> {
  return createWriter(graph, { store });
}

/** The write may have made the item expire; show it anyway. */
const STORED = { consistent: true, includeExpired: true } as const;

async function outputOfWrite(session: TableSession, subject: ItemWords, capacity: Capacity) {
  const item = await readWrittenItem(session, subject);
  return { json: { item, capacity }, text: `${toJson(item)} (${figureText(capacity.wcu)} WCU)` };
}

async function readWrittenItem(session: TableSession, subject: ItemWords) {
  const reader = sessionReader(session);
  if (!('id' in subject)) return await reader.getEdge(subject.source, subject.type, subject.target, STORED);
  const { id, part } = subject;
  if (part === undefined) return await reader.getNode(id, STORED);
  const { store, graph } = session;
  // A reader returns a part only together with its node.
  const { item } = await store.get({ source: id, target: part }, { consistent: true });
  const { [graph.table.partitionKey]: _source, [graph.table.sortKey]: _target, ...attributes } = item ?? {};
  return item === undefined
    ? null
    : { id, part, attributes: toPlainItem(withoutBookkeeping(attributes), losslessNumber) };
}
