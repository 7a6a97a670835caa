/** `edgeloom/stack`: CloudFormation templates for a model. */
export { FUNCTIONS, type FunctionName } from './base/ids.ts';
export { type Parameters, parameterWarnings, readParameters } from './base/parameters.ts';
export type { StackInput } from './base/site.ts';
export { STACK_POLICY } from './parts/table.ts';
export { type ComputedValue, serverlessValues, type VariableContext } from './serverless.ts';
export { stackTemplate, type Template } from './stack.ts';
