import type { Command } from 'commander';
import { readSettings } from '../../../config.ts';
import { runDemo } from '../../../demo/demo.ts';
import { examples } from '../../session/options.ts';
import { print } from '../../session/output.ts';
import { type Progress, startProgress } from '../../session/progress.ts';
import { createLogger } from '../../session/session.ts';
import { serveStudio, studioLines } from './studio.ts';

/** `edgeloom demo`: the main job on real data, on an engine of its own; needs no model file. */
export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('import US airports and routes, project them through the stream, read them and verify all of it')
    .option('--studio', 'then show the data in a studio that may write, until Ctrl-C')
    .addHelpText('after', examples('demo', 'demo --studio', 'demo --json'))
    .action(async ({ studio = false }: { studio?: boolean }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals());
      const { json } = settings;
      const bars = new StepBars();
      try {
        const result = await runDemo({
          say: (line) => {
            bars.stop();
            if (!json) process.stdout.write(`${line}\n`);
          },
          onProgress: (step, done, total) => bars.update(step, done, total),
          ...(studio && {
            look: async (table) => {
              bars.stop();
              await serveStudio({ ...table, isWritable: true, logger: createLogger(settings) }, (url) =>
                print({ json: { url }, text: studioLines(url) }, json),
              );
            },
          }),
        });
        const text = `check: ${result.check}, ${result.seconds.toFixed(1)} s in all`;
        const hint = studio ? '' : '\nsee the data: npm run demo -- --studio';
        // With --json there is one document: the address of the studio.
        if (!(studio && json)) print({ json: result, text: text + hint }, json);
      } finally {
        bars.stop();
      }
    });
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
