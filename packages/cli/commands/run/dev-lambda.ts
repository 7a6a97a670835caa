import { join } from 'node:path';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../../../src/core/store-port.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import type { Logger } from '../../../../src/foundation/logger.ts';
import { inheritedEnvironment } from '../../../local/emulator/function/environment.ts';
import { folderDestination } from '../../../local/emulator/mapping/failure-destination.ts';
import type { GivenUpReport, InvocationReport } from '../../../local/emulator/mapping/mapping-types.ts';
import type { EngineName, EngineOptions } from '../../../local/engine/engine.ts';
import type { LocalOptions } from '../../../local/local.ts';
import { startLocalLambda } from '../../../local/local-lambda.ts';
import type { LocalMirrors } from '../../../local/local-sources.ts';

/** The handler of `--lambda` without a file. */
export const DEFAULT_HANDLER = 'handlers/stream.ts';

/** Where the engine of `dev` runs, and whether what is projected is judged. */
export type DevEngine = EngineOptions & Pick<LocalOptions, 'observe' | 'onDrift' | 'sources' | 'sourceEndpoint'>;

/** The projecting part of `dev`: a worker, or a function with its mapping. */
export interface Projecting {
  engine: EngineName;
  endpoint: string;
  /** The table. */
  store: Store & ScanSource;
  /** Rejects when it gives up. */
  ended: Promise<unknown>;
  /** Absent without sources. */
  mirrors?: LocalMirrors | undefined;
  /** Lines that tell people what runs. */
  lines: string[];
  stop(): Promise<void>;
}

/**
 * Runs a handler behind an event source mapping, and tells each invocation on stderr, where the handler's own output
 * goes too. After a failed invocation the handler is loaded again, so that a corrected file gets the batch.
 */
export async function devLambda(
  graph: CompiledModel,
  handlerFile: string,
  engine: DevEngine,
  logger: Logger,
): Promise<Projecting> {
  const failures = join(engine.dataDir ?? '.edgeloom', 'failures');
  let endpoint = '';
  const local = await startLocalLambda(graph, {
    ...engine,

    handlerFile,
    environment: inheritedEnvironment(),
    restartsAfterError: true,
    onFailure: folderDestination(failures),
    onOutput: (chunk) => process.stderr.write(chunk),
    onInvocation: (report) => printLine(invocationLine(report)),
    onGivenUp: (report) => printLine(givenUpLines(report, endpoint)),
    logger,
  });
  endpoint = local.endpoint;
  return {
    engine: local.engine,
    endpoint,
    store: local.store,
    mirrors: local.mirrors,
    ended: local.mapping.ended,
    lines: [
      `function: ${handlerFile}, in a process of its own (Node ${process.versions.node}); its output goes to stderr`,
      `failures: ${failures}, after 10 retries`,
      'invoking; Ctrl-C stops',
    ],
    stop: () => local.stop(),
  };
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function invocationLine({ sequenceNumbers, milliseconds, result, done, next, retries }: InvocationReport): string {
  const count = sequenceNumbers.length;
  const range = count === 1 ? sequenceNumbers[0] : `${sequenceNumbers[0]} to ${sequenceNumbers.at(-1)}`;
  const retry = retries === 0 ? '' : `, retry ${retries}`;
  const what = `invoked: ${countText(count, 'record')} (${range}${retry}), ${milliseconds} ms: `;
  if (next === 'done') return `${what}done`;
  const reason =
    result.kind === 'error'
      ? `${result.errorType}: ${result.errorMessage}`
      : `${done} done, then ${JSON.stringify(result.payload)}`;
  return `${what}failed: ${reason}; ${NEXT[next]}`;
}

const NEXT = {
  retry: 'tried again',
  split: 'split',
  'give-up': 'given up',
} as const;

function givenUpLines({ sequenceNumbers, condition, keptAt }: GivenUpReport, endpoint: string): string {
  return (
    `given up: ${countText(sequenceNumbers.length, 'record')} (${condition}), kept in ${keptAt}\n` +
    `  reconcile them: edgeloom redrive --from-failure ${keptAt} --endpoint ${endpoint}`
  );
}
