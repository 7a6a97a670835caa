import { USUAL_INDEXES } from '../../../core/items/derived-item.ts';
import { withTableName } from '../../../core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { nativeIndexes } from '../../../core/model/native-indexes.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { tableNameIn } from './arns.ts';
import { type FunctionName, functionsOf } from './ids.ts';
import { type Names, stackNames } from './names.ts';
import type { Parameters } from './parameters.ts';
import { attribute, type Resources, ref, sub, type Value } from './template.ts';

export const TABLE = 'RecordsTable';

export interface Site {
  /** The model, with the deployed table's name and all indexes that it may use. */
  graph: CompiledModel;
  names: Names;
  parameters: Parameters;
  functions: readonly FunctionName[];
  table: TableReferences;
}

export interface TableReferences {
  name: Value;
  arn: Value;
  streamArn: Value;
  /** Matches all indexes. */
  indexArn: Value;
}

/** The input for generating a stack. */
export interface StackInput {
  /** The model, which determines the table and the stream filter. */
  model: CompiledModel;
  /** The service. Resource names begin with service and stage. */
  service: string;
  /** The stage, such as `prod`. */
  stage: string;
  /** The parameters that `readParameters` returns. */
  parameters: Parameters;
}

export function siteOf({ model, service, stage, parameters }: StackInput): Site {
  const { existingTableArn, existingStreamArn, sourceStreamArns } = parameters;
  const names = stackNames(service, stage, model.table.name);
  const isOwn = existingTableArn === '';
  const name = isOwn ? names.local(model.table.name) : tableNameIn(existingTableArn);
  if (sourceStreamArns.some((arn) => tableNameIn(arn) === name)) {
    throw new EdgeloomError(
      'invalid-parameters',
      'These parameters of the stack are wrong: sourceStreamArns: names a stream of a table with the name of the own table.',
      'Give the streams of the tables that the model file exports as sources: none may have the name of the own table, in another account neither.',
    );
  }
  if (isOwn && existingStreamArn !== '' && tableNameIn(existingStreamArn) !== name) {
    throw new EdgeloomError(
      'invalid-parameters',
      `These parameters of the stack are wrong: existingStreamArn: is not a stream of the table ${name}.`,
      'Give existingTableArn as well, or the LatestStreamArn that describe-table prints for this table.',
    );
  }
  const indexes = [...new Set([...USUAL_INDEXES, ...model.table.indexes, ...model.indexes])];
  const graph = { ...withTableName(model, name), indexes };
  // The attribute `StreamArn` is stale after the stream was switched off and on.
  const streamArn = existingStreamArn === '' ? attribute(TABLE, 'StreamArn') : existingStreamArn;
  const table = isOwn
    ? { name: ref(TABLE), arn: attribute(TABLE), streamArn, indexArn: sub(`\${${TABLE}.Arn}/index/*`) }
    : { name, arn: existingTableArn, streamArn, indexArn: `${existingTableArn}/index/*` };
  return { graph, names, parameters, functions: functionsOf(parameters), table };
}

export function indexNamesOf(graph: CompiledModel): string[] {
  const derived = graph.indexes.map((index) => graph.table.indexNames[index]);
  return [...derived, ...nativeIndexes(graph).map(({ name }) => name)];
}

const TAGGED = new Set([
  ...['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::SNS::Topic', 'AWS::Logs::LogGroup'],
  ...['AWS::Lambda::Function', 'AWS::Lambda::EventSourceMapping', 'AWS::Events::Rule', 'AWS::IAM::Role'],
  ...['AWS::StepFunctions::StateMachine', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'],
  ...['AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup'],
]);

export function withTags(resources: Resources, { tags }: Parameters): Resources {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  if (Tags.length === 0) return resources;
  return Object.fromEntries(
    Object.entries(resources).map(([id, resource]) => [
      id,
      TAGGED.has(resource.Type) ? { ...resource, Properties: { ...resource.Properties, Tags } } : resource,
    ]),
  );
}
