/** Facts that Lambda gives to a runtime client, and the client to its handler. */
export interface FunctionRuntime {
  /** Host and port of the Runtime API. */
  runtimeApi: string;
  name: string;
  version: string;
  memorySizeMb: string;
  logGroup: string;
  logStream: string;
}

/** Reads Lambda's facts about the function of this process from its environment variables. An absent variable gives ''. */
export function functionRuntime(environment: NodeJS.ProcessEnv = process.env): FunctionRuntime {
  return {
    runtimeApi: environment['AWS_LAMBDA_RUNTIME_API'] ?? '',
    name: environment['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
    version: environment['AWS_LAMBDA_FUNCTION_VERSION'] ?? '',
    memorySizeMb: environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '',
    logGroup: environment['AWS_LAMBDA_LOG_GROUP_NAME'] ?? '',
    logStream: environment['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
  };
}

/** The variables that a function on this machine takes over from the process that starts it: all but a profile for AWS itself. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { AWS_PROFILE: _, ...inherited } = environment;
  return inherited;
}
