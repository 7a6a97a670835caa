import { checkOptions } from '../../foundation/options.ts';
import { loadModel, loadSources } from '../package/load-model.ts';
import { PARAMETER_NAMES, parameterWarnings, readParameters } from './base/parameters.ts';
import { STACK_POLICY } from './parts/table.ts';
import { checkNames, checkSources } from './project/service.ts';
import { frameworkStack, nameOfOwnTable } from './stack.ts';

/** The argument that the Serverless Framework passes to a file that computes values. */
export interface VariableContext {
  /** Returns the value of a variable, such as `param:batchSize` or `self:service`. */
  resolveVariable(variable: string): Promise<unknown>;
}

/** A value of serverless.yml that is computed on demand. */
export type ComputedValue = (context: VariableContext) => Promise<unknown>;

/** Options of `serverlessValues`. */
export interface ServerlessOptions {
  /** The path of the model file. */
  modelFile: string;
}

/**
 * Returns the values of serverless.yml that depend on a model, for a CommonJS file that the framework reads.
 *
 * @example
 * module.exports = require('edgeloom/stack').serverlessValues({ modelFile: `${__dirname}/edgeloom.config.ts` });
 */
export function serverlessValues(
  options: ServerlessOptions,
): Record<'functions' | 'resources' | 'stackPolicy', ComputedValue> {
  checkOptions('serverlessValues', options, { modelFile: true });
  const { modelFile } = options;
  const stackOf = async ({ resolveVariable }: VariableContext) => {
    const stage = String(await resolveVariable('sls:stage'));
    const values: [string, unknown][] = [];
    for (const name of PARAMETER_NAMES) {
      // Skips unset parameters, which `readParameters` sets to the stage's defaults.
      const value = await resolveVariable(`param:${name}, null`);
      if (value !== null) values.push([name, value]);
    }
    const region = await resolveVariable('self:provider.region, null');
    const parameters = readParameters({
      stage,
      values: Object.fromEntries(values),
      region: typeof region === 'string' ? region : undefined,
    });
    const service = String(await resolveVariable('self:service'));
    const model = await loadModel(modelFile);
    checkNames(modelFile, { service, table: nameOfOwnTable(model, parameters) });
    const unread = checkSources(await loadSources(modelFile), parameters);
    return { parameters, unread, stack: frameworkStack({ model, service, stage, parameters }) };
  };
  return {
    functions: async (context) => (await stackOf(context)).stack.functions,
    resources: async (context) => {
      const { stack, parameters, unread } = await stackOf(context);
      for (const warning of [...parameterWarnings(parameters), ...unread])
        process.stderr.write(`Warning: ${warning}\n`);
      return stack.resources;
    },
    stackPolicy: async (context) => ((await stackOf(context)).parameters.existingTableArn === '' ? STACK_POLICY : []),
  };
}
