import { type Command, Option } from 'commander';
import { ENGINES, type EngineName } from '../../../local/engine/engine.ts';
import { FIRST_EDGE } from '../../../workbench/demo/company.ts';
import { runDemo } from '../../../workbench/demo/demo.ts';
import { examples } from '../../shared/options.ts';
import { print } from '../../shared/output.ts';
import { type Progress, startProgress } from '../../shared/progress.ts';
import { createLogger } from '../../shared/session.ts';
import { readSettings } from '../../shared/settings.ts';
import { serveStudio, studioLines } from './studio.ts';

export function demoCommand(command: Command): void {
  command
    .option('--studio', 'then open the data in the studio, which can write, until Ctrl-C')
    .addOption(new Option('--engine <engine>', 'engine to run (default: the same as for dev)').choices(ENGINES))
    .addHelpText('after', examples('demo', 'demo --studio', 'demo --engine memory', 'demo --json'))
    .action(async ({ studio = false, engine }: { studio?: boolean; engine?: EngineName }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals());
      const { json } = settings;
      const progress = new StepProgress();
      try {
        const result = await runDemo({
          engine,
          say: (line) => {
            progress.stop();
            if (!json) process.stdout.write(`${line}\n`);
          },
          onProgress: (step, done, total) => progress.update(step, done, total),
          ...(studio && {
            look: async (table) => {
              progress.stop();
              await serveStudio({ ...table, isWritable: true, logger: createLogger(settings) }, (address) => {
                const url = addressOfFirstEdge(address);
                print({ json: { url }, text: studioLines(url) }, json);
              });
            },
          }),
        });
        const text = `check: ${result.check}, ${result.seconds.toFixed(1)} s in all`;
        const hint = studio ? '' : '\nsee the data: npx edgeloom demo --studio';
        // `--studio --json` prints only the studio's address.
        if (!(studio && json)) print({ json: result, text: text + hint }, json);
      } finally {
        progress.stop();
      }
    });
}

/** Keeps the address's fragment, which holds the studio's token. */
function addressOfFirstEdge(address: string): string {
  const { hash } = new URL(address);
  return new URL(`/trace?${new URLSearchParams(FIRST_EDGE)}${hash}`, address).href;
}

const COUNTED = { import: 'items imported', project: 'records projected' } as const;

class StepProgress {
  private step: string | undefined;
  private current: Progress | undefined;

  update(step: keyof typeof COUNTED, done: number, total: number): void {
    if (this.step !== step) {
      this.stop();
      this.step = step;
      this.current = startProgress(COUNTED[step], total);
    }
    this.current?.update(done, total);
  }

  stop(): void {
    this.current?.stop();
    this.current = undefined;
  }
}
