import type { Command } from 'commander';
import * as z from 'zod/mini';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { UnplacedItems } from '../../../../src/trust/check/unplaced-items.ts';
import { absentTexts } from '../../shared/absent-partitions.ts';
import { unreadyText } from '../../shared/model-notice.ts';
import {
  commandText,
  examples,
  type RateFlags,
  readRateOption,
  refuseBeside,
  wholeNumber,
  writeRateOption,
} from '../../shared/options.ts';
import { inSession } from '../../shared/session.ts';
import { unplacedText } from '../../shared/unplaced.ts';
import { sayAbsent } from '../read/answer.ts';
import { runCheck } from './check-run.ts';
import type { Gathered } from './resume-file.ts';

const FOUND = 1;
const STOPPED = 2;

interface CommandOptions extends RateFlags {
  segments?: number;
  source?: string[];
  resume?: string;
  strict?: boolean;
  force?: boolean;
}

export function rebuildCommand(command: Command): void {
  command
    .option('--segments <n>', 'number of parts of the table to read in parallel (default: 8)', wholeNumber)
    .addOption(readRateOption())
    .addOption(writeRateOption())
    .option('--source <id...>', 'only these partitions')
    .option('--resume <file>', 'save the place in this file, and continue there after an interruption')
    .option('--force', 'rebuild although a consumer projects a different model, for a table without a registry')
    .option('--strict', 'exit with 1 also if the table has items of types outside the model')
    .addHelpText(
      'after',
      examples('rebuild', 'rebuild --max-wcu 200 --resume rebuild.json --strict', 'rebuild --source GOAL-G1'),
    )
    .action(
      inSession(async (session, { source, resume, strict, force, ...limits }: CommandOptions) => {
        if (source !== undefined) refuseBeside('--source', { ...limits }, ['segments']);
        const started = performance.now();
        const options = { ...limits, mode: 'rebuild', ...(source !== undefined && { sources: source }) } as const;
        const gathered = new GatheredUnplaced(session.graph);
        const { refusals, unplaced } = gathered;
        const result = await runCheck(session, options, {
          ...{ resume, gathered, force, named: source },
          command: commandText('rebuild', { source }),
          onFinding: ({ source: partition, target, verdict }) => {
            if (verdict === 'unknown') unplaced.add({ source: partition, target });
          },
          onRepair: (action) => {
            if (action.startsWith('cannot') && !refusals.includes(action)) refusals.push(action);
          },
        });
        const { partitions, repaired, rcu, wcu, cursor, managed, differs, unready, unknown, absent } = result;
        // A position saved by an older version has no `unplaced`, but its `unknown` counts the same items. Add the
        // missing ones to `others`.
        const { count } = unplaced;
        const counted = { ...count, items: unknown, others: count.others + unknown - count.items };
        sayAbsent(absentTexts(absent));
        if ((strict === true && unknown > 0) || unready !== undefined) process.exitCode = FOUND;
        const seconds = (performance.now() - started) / 1000;
        if (cursor !== undefined || refusals.length > 0) process.exitCode = STOPPED;
        const text =
          `${countText(partitions, 'partition')}, ${countText(repaired, 'derived item')} written; ` +
          `${figureText(rcu)} RCU, ${figureText(wcu)} WCU, ${figureText(seconds)} s`;
        const stopped =
          cursor === undefined ? [] : ['stopped before its end; with --resume FILE it could go on from here'];
        return {
          json: {
            partitions,
            writes: repaired,
            rcu,
            wcu,
            seconds,
            refusals,
            managed,
            differs,
            unplaced: counted,
            ...(absent.length > 0 && { absent }),
            ...(cursor !== undefined && { stopped: true }),
          },
          text: [text, ...unreadyText(unready), ...unplacedText(counted), ...refusals.map(printable), ...stopped].join(
            '\n',
          ),
        };
      }),
    );
}

const count = z.int().check(z.minimum(0));
const key = z.strictObject({ source: z.string(), target: z.string() });
const schema = z.strictObject({
  refusals: z.array(z.string()),
  unplaced: z.strictObject({
    items: count,
    forms: z.array(z.strictObject({ form: z.string(), items: count, examples: z.array(key) })),
    others: count,
  }),
});

/** The refusals and unplaced items of a rebuild, including those from before an interruption. */
class GatheredUnplaced implements Gathered {
  readonly refusals: string[] = [];
  readonly unplaced: UnplacedItems;

  constructor(graph: CompiledModel) {
    this.unplaced = new UnplacedItems(graph);
  }

  save(): unknown {
    return { refusals: this.refusals, unplaced: this.unplaced.count };
  }

  restore(saved: unknown): void {
    const { refusals, unplaced } = schema.parse(saved);
    this.refusals.push(...refusals);
    this.unplaced.restore(unplaced);
  }
}
