import { type Command, Option } from 'commander';
import { driftIn } from '../../../../src/core/verdicts.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { ENGINES, type EngineName } from '../../../local/engine/engine.ts';
import { FIRST_EDGE } from '../../../workbench/demo/company.ts';
import { runDemo } from '../../../workbench/demo/demo.ts';
import { type EvolveResult, runEvolve } from '../../../workbench/demo/evolve/evolve.ts';
import type { AnswerCounts } from '../../../workbench/demo/evolve/tally.ts';
import { examples } from '../../shared/options.ts';
import { print, textTable } from '../../shared/output.ts';
import { type Progress, startProgress } from '../../shared/progress.ts';
import { createLogger } from '../../shared/session.ts';
import { readSettings } from '../../shared/settings.ts';
import { driftText } from '../trust/check-report.ts';
import { serveStudio, studioLines } from './studio.ts';

interface DemoFlags {
  studio?: boolean;
  evolve?: boolean;
  engine?: EngineName;
}

/** `edgeloom demo`: the main job on real data, on an engine of its own; needs no model file. */
export function demoCommand(command: Command): void {
  command
    .option('--studio', 'then open the data in the studio, which can write, until Ctrl-C')
    .addOption(new Option('--engine <engine>', 'engine to run (default: the same as for dev)').choices(ENGINES))
    .option('--evolve', 'change the model under traffic instead, and count right, not ready and wrong answers')
    .addHelpText('after', examples('demo', 'demo --studio', 'demo --engine memory', 'demo --evolve', 'demo --json'))
    .action(async ({ studio = false, evolve = false, engine }: DemoFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals());
      const { json } = settings;
      if (evolve) {
        if (studio) throw new EdgeloomError('usage', 'Give one of --studio and --evolve.', 'Run one after the other.');
        await showEvolve(json, engine);
        return;
      }
      const bars = new StepBars();
      try {
        const result = await runDemo({
          engine,
          say: (line) => {
            bars.stop();
            if (!json) process.stdout.write(`${line}\n`);
          },
          onProgress: (step, done, total) => bars.update(step, done, total),
          ...(studio && {
            look: async (table) => {
              bars.stop();
              await serveStudio({ ...table, isWritable: true, logger: createLogger(settings) }, (studio) => {
                const { href: url } = new URL(
                  `/trace?${new URLSearchParams(FIRST_EDGE)}${new URL(studio).hash}`,
                  studio,
                );
                print({ json: { url }, text: studioLines(url) }, json);
              });
            },
          }),
        });
        const text = `check: ${result.check}, ${result.seconds.toFixed(1)} s in all`;
        const hint = studio ? '' : '\nsee the data: npx edgeloom demo --studio';
        // With --json there is one document: the address of the studio.
        if (!(studio && json)) print({ json: result, text: text + hint }, json);
      } finally {
        bars.stop();
      }
    });
}

/** The exit code where the demo of a model change found wrong or partial answers, or drift. */
const WRONG = 1;

/** Runs the demo of a model change. The exit code is 1 if an answer was wrong or partial, or if the check found drift. */
async function showEvolve(json: boolean, engine: EngineName | undefined): Promise<void> {
  const result = await runEvolve({
    engine,
    say: (line) => {
      if (!json) process.stdout.write(`${line}\n`);
    },
  });
  const { wrong, partial } = result.answers;
  if (wrong + partial + driftIn(result) > 0) process.exitCode = WRONG;
  print({ json: result, text: evolveText(result) }, json);
}

function evolveText({ phases, answers, mistakes, writes, drift, seconds }: EvolveResult): string {
  const phaseRow = (name: string, of: string, { right, notReady, wrong, partial }: AnswerCounts): unknown[] => {
    return [name, of, right, notReady, wrong, partial];
  };
  const rows = phases.flatMap((phase) => [phaseRow(phase.name, 'old', phase.old), phaseRow('', 'new', phase.new)]);
  return [
    '',
    textTable(['answers', 'reader', 'right', 'not ready', 'wrong', 'partial'], [...rows, phaseRow('all', '', answers)]),
    '',
    ...mistakes.map(({ phase, side, question, reason }) => `${phase}, ${side} reader, ${question}: ${reason}`),
    `${countText(writes, 'write')} of producers; ${driftText({ drift })}; ${seconds.toFixed(1)} s in all`,
  ].join('\n');
}

/** One progress bar after the other. */
class StepBars {
  private step: string | undefined;
  private bar: Progress | undefined;

  update(step: string, done: number, total: number): void {
    if (this.step !== step) {
      this.stop();
      this.step = step;
      this.bar = startProgress(step, total);
    }
    this.bar?.update(done, total);
  }

  stop(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}
