import { GuardedProcess } from '../../../src/foundation/guarded-process.ts';
import type { InvokeResult, LambdaFunction, LambdaStreamEvent } from './lambda-function.ts';
import { RuntimeApi } from './runtime-api.ts';

/** A program that runs a function: a runtime client and what it loads. */
export interface FunctionCommand {
  /** Its path, or its name on the PATH. */
  file: string;
  args: readonly string[];
}

/** How a function runs. */
export interface FunctionOptions {
  /** The runtime client. */
  command: FunctionCommand;
  /** The folder of the code. */
  folder: string;
  /** Handler, as the client knows it: `stream.handler`. */
  handler: string;
  environment: NodeJS.ProcessEnv;
  /** Milliseconds that an invocation may take. */
  timeoutMs: number;
  /** Gets what the function writes to its output and error output. */
  onOutput: (chunk: Buffer) => void;
}

/** A function that runs on this machine. */
export interface LocalFunction extends LambdaFunction {
  /** The process group that runs now, to crash it; undefined where none runs. */
  readonly processGroup: number | undefined;
  stop(): Promise<void>;
}

/** One process and the API that it talks to. A new process gets a new API: a late answer of an old one is lost. */
interface Sandbox {
  child: GuardedProcess;
  api: RuntimeApi;
}

const INIT_TIMEOUT_MS = 60_000;

/**
 * Runs a function as Lambda does: a process that asks a Runtime API for invocations, one at a time. A process that runs
 * out of time is killed, and a new one is started for the next invocation; so after a crash.
 */
export async function startFunction(options: FunctionOptions): Promise<LocalFunction> {
  const running = new RunningFunction(options);
  await running.start();
  return running;
}

class RunningFunction implements LocalFunction {
  readonly arn = 'arn:aws:lambda:us-east-1:000000000000:function:function';
  private sandbox: Sandbox | undefined;
  /** Invocations wait for the one before: there is one process. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: FunctionOptions) {}

  get processGroup(): number | undefined {
    return this.sandbox?.child.processGroup;
  }

  invoke(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    const result = this.last.then(() => this.invokeNow(event, requestId));
    this.last = result.catch(() => undefined);
    return result;
  }

  async stop(): Promise<void> {
    const { sandbox } = this;
    this.sandbox = undefined;
    // Without a grace, this kills at once.
    await sandbox?.child.stop();
    await sandbox?.api.close();
  }

  /** Starts a process where none runs. */
  async start(): Promise<Sandbox> {
    const { command, folder, onOutput } = this.options;
    const api = await RuntimeApi.start();
    const environment = functionEnvironment(this.options, api.address);
    const child = new GuardedProcess({ ...command, cwd: folder, environment, onOutput, onErrorOutput: onOutput });
    const sandbox = { child, api };
    this.sandbox = sandbox;
    const ended = child.ended.then(({ reason }) => exitError(reason));
    const init = await withTimeout([api.initialized, ended], INIT_TIMEOUT_MS);
    if (init === undefined) return sandbox;
    await this.stop();
    throw new Error(`the function does not start: ${JSON.stringify(init)}`);
  }

  private async invokeNow(event: LambdaStreamEvent, requestId: string): Promise<InvokeResult> {
    const { api, child } = this.sandbox ?? (await this.start());
    const { timeoutMs } = this.options;
    const deadlineMs = Date.now() + timeoutMs;
    const answer = api.invoke({ requestId, functionArn: this.arn, deadlineMs, payload: JSON.stringify(event) });
    const result = await withTimeout([answer, child.ended.then(({ reason }) => exitError(reason))], timeoutMs);
    if (result.kind === 'error' && ['Sandbox.Timedout', 'Runtime.ExitError'].includes(result.errorType))
      await this.stop();
    return result;
  }
}

/** The environment variables that Lambda sets for a function. */
function functionEnvironment({ handler, folder, environment }: FunctionOptions, runtimeApi: string): NodeJS.ProcessEnv {
  return {
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    ...environment,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: 'function',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/function',
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    TZ: ':UTC',
  };
}

type FunctionError = Extract<InvokeResult, { kind: 'error' }>;

async function withTimeout<T>(promises: readonly Promise<T>[], milliseconds: number): Promise<T | FunctionError> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<FunctionError>((resolve) => {
    const errorMessage = `Task timed out after ${milliseconds} ms`;
    timer = setTimeout(() => resolve({ kind: 'error', errorType: 'Sandbox.Timedout', errorMessage }), milliseconds);
  });
  try {
    return await Promise.race([...promises, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function exitError(errorMessage: string): FunctionError {
  return { kind: 'error', errorType: 'Runtime.ExitError', errorMessage };
}
