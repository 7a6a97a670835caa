import type { Command } from 'commander';
import { EdgeloomError } from '../../../errors.ts';
import { toJson } from '../../../exact-json.ts';
import { figureText } from '../../../figure.ts';
import type { CompiledModel } from '../../../model/compiled.ts';
import type { WriteConditions } from '../../../write/item/conditions.ts';
import { createWriter, type Writer } from '../../../write/writer.ts';
import { attributesOfJson, attributeValues, collectValue } from '../../shared/attribute-values.ts';
import { examples } from '../../shared/options.ts';
import type { Output } from '../../shared/output.ts';

import { inTable, sessionReader, type TableSession } from '../../shared/table.ts';

/** Conditions on the command line. */
interface ConditionOptions {
  ifAbsent?: boolean;
  ifPresent?: boolean;
  if?: string[];
}

/** The subject that a command's words name: a node, or an edge. */
type Subject = { id: string } | { source: string; type: string; target: string };

/** `edgeloom put ID JSON`, `edgeloom put SOURCE TYPE TARGET JSON`: a base item, whole. */
export function putCommand(command: Command): void {
  withConditions(command)
    .argument('<words...>', 'ID JSON, or SOURCE TYPE TARGET JSON')
    .addHelpText(
      'after',
      examples(
        `put USER-U1 '{"name":"Ada"}' --if-absent`,
        `put GOAL-G1 GOALMEMBERSHIP USER-U1 '{"memberRole":"LEAD"}'`,
      ),
    )
    .action(
      inTable(async (session, words: string[], options: ConditionOptions) => {
        const { subject, json } = parseWords(words, true);
        const attributes = attributesOf(json);
        const writer = openWriter(session);
        const conditions = conditionsOf(options);
        const { wcu } =
          'id' in subject
            ? await writer.putNode(subject.id, attributes, conditions)
            : await writer.putEdge(subject.source, subject.type, subject.target, attributes, conditions);
        return showItem(session, subject, wcu);
      }),
    );
}

/** `edgeloom update …`: attributes of a base item, merged into what is there. */
export function updateCommand(command: Command): void {
  withConditions(command)
    .argument('<words...>', 'ID JSON, or SOURCE TYPE TARGET JSON; the JSON may be left out with --remove')
    .option('--remove <attribute>', 'remove this attribute; repeat it for more', collectValue)
    .option('--upsert', 'make the item where it is absent')
    .addHelpText(
      'after',
      examples(
        `update GOAL-G1 '{"status":"DONE"}' --remove dueDate`,
        `update GOAL-G1 GOALMEMBERSHIP USER-U1 '{"memberRole":"LEAD"}' --if memberRole=CONTRIBUTOR`,
      ),
    )
    .action(
      inTable(async (session, words: string[], options: ConditionOptions & { remove?: string[]; upsert?: boolean }) => {
        const { subject, json } = parseWords(words, options.remove === undefined);
        const change = { set: attributesOf(json ?? '{}'), remove: options.remove ?? [] };
        const writer = openWriter(session);
        const all = { ...conditionsOf(options), upsert: options.upsert };
        const { wcu } =
          'id' in subject
            ? await writer.updateNode(subject.id, change, all)
            : await writer.updateEdge(subject.source, subject.type, subject.target, change, all);
        return showItem(session, subject, wcu);
      }),
    );
}

/** `edgeloom delete …`: a base item. */
export function deleteCommand(command: Command): void {
  withConditions(command)
    .argument('<words...>', 'ID, or SOURCE TYPE TARGET')
    .addHelpText('after', examples('delete GOAL-G1 GOALMEMBERSHIP USER-U1', 'delete USER-U1 --if status=CLOSED'))
    .action(
      inTable(async (session, words: string[], options: ConditionOptions) => {
        const { subject } = parseWords(words, false);
        const writer = openWriter(session);
        const conditions = conditionsOf(options);
        const { wcu } =
          'id' in subject
            ? await writer.deleteNode(subject.id, conditions)
            : await writer.deleteEdge(subject.source, subject.type, subject.target, conditions);
        return { json: { item: null, wcu }, text: `deleted (${figureText(wcu)} WCU)` };
      }),
    );
}

function withConditions(command: Command): Command {
  return command
    .option('--if-absent', 'only if the item is absent')
    .option('--if-present', 'only if the item is there')
    .option(
      '--if <attribute=value>',
      'only if the attribute has this value (JSON, or a text); repeatable',
      collectValue,
    );
}

/** The words of a command: a node or an edge, and behind it a JSON document where one is taken. */
function parseWords(words: readonly string[], needsJson: boolean): { subject: Subject; json?: string } {
  const [first, second, third, fourth, ...more] = words;
  const count = words.length;
  if (more.length === 0 && first !== undefined) {
    const ofNode = { id: first };
    if (count === 1 && !needsJson) return { subject: ofNode };
    if (count === 2) return { subject: ofNode, json: second! };
    const ofEdge = { source: first, type: second ?? '', target: third ?? '' };
    if (count === 3 && !needsJson) return { subject: ofEdge };
    if (count === 4) return { subject: ofEdge, json: fourth! };
  }
  const hint = `Name a node by its id, or an edge by SOURCE TYPE TARGET${needsJson ? ', and give its attributes as JSON' : ''}.`;
  throw new EdgeloomError('usage', `${count === 1 ? '1 word names' : `${count} words name`} no item.`, hint);
}

function attributesOf(json: string | undefined): Record<string, unknown> {
  return attributesOfJson(json ?? '{}');
}

function conditionsOf({ ifAbsent, ifPresent, if: pairs = [] }: ConditionOptions): WriteConditions {
  return { ifAbsent, ifPresent, ...(pairs.length > 0 && { if: attributeValues('--if', pairs) }) };
}

function openWriter({ graph, store }: TableSession): Writer<CompiledModel> {
  return createWriter(graph, { store });
}

/** The item as it is after a write. */
async function showItem(session: TableSession, subject: Subject, wcu: number): Promise<Output> {
  const reader = sessionReader(session);
  const item =
    'id' in subject
      ? await reader.node(subject.id, { consistent: true })
      : await reader.edge(subject.source, subject.type, subject.target, { consistent: true });
  return { json: { item, wcu }, text: `${toJson(item)} (${figureText(wcu)} WCU)` };
}
