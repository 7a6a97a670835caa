import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { GuardedProcess } from '../../../../src/foundation/guarded-process.ts';
import { checkOptions } from '../../../../src/foundation/options.ts';
import type { LambdaStreamEvent } from '../mapping/lambda-record.ts';
import type { InvokeResult, LambdaFunction } from '../mapping/mapping-types.ts';
import { type InitResult, RuntimeApi } from './runtime-api.ts';

/** A program that runs a function: a runtime client and what it loads. */
export interface FunctionCommand {
  /** Its path, or its name on the PATH. */
  file: string;
  args?: readonly string[];
  /** Folder to run in. Default: this process's. */
  cwd?: string;
}

/** Options of `startFunction`. */
export interface FunctionOptions {
  /** The runtime client to run. It finds the Runtime API in `AWS_LAMBDA_RUNTIME_API`. */
  command: FunctionCommand;
  /** Environment variables in addition to those that Lambda sets. Default: none. */
  environment?: NodeJS.ProcessEnv | undefined;
  /** Name of the function. Default `'function'`. */
  name?: string | undefined;
  /** Handler, as the client knows it: `stream.handler`. Default `'index.handler'`. */
  handler?: string | undefined;
  /** Folder of the code. Default: that of the command. */
  taskRoot?: string | undefined;
  /** Milliseconds that an invocation may take. Default 60,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds that the start of a process may take. Default 10,000, as on Lambda. */
  initTimeoutMs?: number | undefined;
  /** Megabytes that the function reads in its environment; no limit enforces them. Default 512. */
  memorySizeMb?: number | undefined;
  /** A new process after each invocation that failed, so that a corrected handler is loaded. Default false. */
  restartsAfterError?: boolean | undefined;
  /** Gets what the function writes to its output and error output. Default: dropped. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** A function that runs on this machine. */
export interface LocalFunction extends LambdaFunction {
  /** The process group that runs now, to crash it in a test; undefined where none runs. */
  readonly processGroup: number | undefined;
  /** Ends it; what is being invoked fails. Calling it again is fine. */
  stop(): Promise<void>;
}

const REGION = 'us-east-1';
const ACCOUNT = '000000000000';

/** One process and the API that it talks to. A new process gets a new API: a late answer of an old one is lost. */
interface Sandbox {
  child: GuardedProcess;
  api: RuntimeApi;
}

/**
 * Runs a function as Lambda does: a process that asks a Runtime API for invocations, one at a time. A process that runs
 * out of time is killed, and a new one is started for the next invocation; so after a crash. Resolves when the first
 * process is ready, and throws `function-failed` where it does not come up.
 *
 * @example
 * const lambda = await startFunction({
 *   command: { file: 'node', args: ['node_modules/aws-lambda-ric/index.mjs', 'index.handler'], cwd: 'build' },
 * });
 */
export async function startFunction(options: FunctionOptions): Promise<LocalFunction> {
  checkOptions('startFunction', options, {
    command: true,
    environment: true,
    name: true,
    handler: true,
    taskRoot: true,
    timeoutMs: true,
    initTimeoutMs: true,
    memorySizeMb: true,
    restartsAfterError: 'boolean',
    onOutput: true,
  });
  const running = new RunningFunction(options);
  const init = await running.start();
  if (init.kind === 'ready') return running;
  await running.stop();
  throw new EdgeloomError(
    'function-failed',
    `The function ${options.name ?? 'function'} does not start: ${init.errorType}: ${init.errorMessage}`,
    'Correct what the module does as it is loaded; its output is above.',
  );
}

class RunningFunction implements LocalFunction {
  readonly arn: string;
  private sandbox: Sandbox | undefined;
  /** Invocations wait for the one before: there is one process. */
  private last: Promise<unknown> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly options: FunctionOptions) {
    this.arn = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${options.name ?? 'function'}`;
  }

  get processGroup(): number | undefined {
    return this.sandbox?.child.processGroup;
  }

  invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    const result = this.last.then(() => this.invokeNow(event, requestId));
    this.last = result.catch(() => undefined);
    return result;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.endProcess();
  }

  /** Starts a process where none runs. */
  async start(): Promise<InitResult> {
    const { options } = this;
    const api = await RuntimeApi.start();
    const environment = functionEnvironment(options, api.address);
    const onOutput = options.onOutput ?? (() => undefined);
    const child = new GuardedProcess({ ...options.command, environment, onOutput, onErrorOutput: onOutput });
    this.sandbox = { child, api };
    // Stopped meanwhile: `stop` did not see this process.
    if (this.isStopped) await this.endProcess();
    const init = await raceWithTimeout(
      [api.waitUntilInitialized(), child.ended.then(({ reason }) => exitError(reason))],
      options.initTimeoutMs ?? 10_000,
      (milliseconds) => timedOut(`The start took longer than ${seconds(milliseconds)} seconds`),
    );
    if (init.kind === 'error') await this.endProcess();
    return init;
  }

  private async invokeNow(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    if (this.isStopped) return exitError('the function was stopped');
    if (this.sandbox === undefined) {
      const init = await this.start();
      if (init.kind === 'error') return init;
    }
    const { timeoutMs = 60_000 } = this.options;
    const { api, child } = this.sandbox!;
    const deadlineMs = Date.now() + timeoutMs;
    const invocation = { requestId, functionArn: this.arn, deadlineMs, payload: JSON.stringify(event) };
    const ended = child.ended.then(({ reason }) =>
      exitError(`RequestId: ${requestId} Error: Runtime exited with error: ${reason}`),
    );
    const answer = api.invoke(invocation);
    const result = await raceWithTimeout([answer, ended], timeoutMs, (milliseconds) =>
      timedOut(`RequestId: ${requestId} Error: Task timed out after ${seconds(milliseconds)} seconds`),
    );
    const isBroken = result.kind === 'error' && ['Sandbox.Timedout', 'Runtime.ExitError'].includes(result.errorType);
    if (isBroken || (result.kind === 'error' && this.options.restartsAfterError === true)) await this.endProcess();
    return result;
  }

  /** Ends the process; the next invocation starts another. */
  private async endProcess(): Promise<void> {
    const { sandbox } = this;
    this.sandbox = undefined;
    await sandbox?.child.kill();
    await sandbox?.api.close();
  }
}

/** The environment variables that Lambda sets for a function. */
function functionEnvironment(options: FunctionOptions, runtimeApi: string): NodeJS.ProcessEnv {
  const { command, name = 'function', handler = 'index.handler', memorySizeMb = 512 } = options;
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    ...options.environment,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySizeMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: options.taskRoot ?? command.cwd ?? '.',
    _HANDLER: handler,
    TZ: ':UTC',
  };
}

async function raceWithTimeout<T>(
  promises: readonly Promise<T>[],
  milliseconds: number,
  onTimeout: (milliseconds: number) => T,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(onTimeout(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([...promises, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

type FunctionError = Extract<InvokeResult, { kind: 'error' }>;

function exitError(errorMessage: string): FunctionError {
  return { kind: 'error', errorType: 'Runtime.ExitError', errorMessage };
}

function timedOut(errorMessage: string): FunctionError {
  return { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}
