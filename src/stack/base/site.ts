import { withTableName } from '../../model/compile/define-graph.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import { type Names, stackNames } from './names.ts';
import type { Parameters } from './parameters.ts';
import { attribute, type Resources, ref, sub, type Value } from './template.ts';

/** Logical id of the table. */
export const TABLE = 'RecordsTable';

/** What every part of a stack is made from. */
export interface Site {
  /** The model, with the table's own name. */
  graph: CompiledModel;
  names: Names;
  parameters: Parameters;
  table: TableReferences;
}

/** How a template speaks of the table: one that it makes, or one that there is already. */
export interface TableReferences {
  name: Value;
  arn: Value;
  streamArn: Value;
  /** ARNs of the indexes that the model needs, each spelled out, with the first one first. */
  indexArns: readonly Value[];
}

/** What a stack is made from: a model, a service, a stage and its parameters. */
export interface StackInput {
  model: CompiledModel;
  service: string;
  stage: string;
  parameters: Parameters;
}

/** Puts together what the parts of a stack are made from. Throws `invalid-name` for names that AWS would refuse. */
export function siteOf({ model, service, stage, parameters }: StackInput): Site {
  const { existingTableArn, existingStreamArn } = parameters;
  const names = stackNames(service, stage, model.table.name);
  const indexNames = model.indexes.map((index) => model.table.indexNames[index]);
  if (existingTableArn === '') {
    return {
      graph: withTableName(model, names.local(model.table.name)),
      names,
      parameters,
      table: {
        name: ref(TABLE),
        arn: attribute(TABLE),
        streamArn: attribute(TABLE, 'StreamArn'),
        indexArns: indexNames.map((name) => sub(`\${${TABLE}.Arn}/index/${name}`)),
      },
    };
  }
  const name = existingTableArn.split(':table/').at(-1)!;
  return {
    graph: withTableName(model, name),
    names,
    parameters,
    table: {
      name,
      arn: existingTableArn,
      streamArn: existingStreamArn,
      indexArns: indexNames.map((index) => `${existingTableArn}/index/${index}`),
    },
  };
}

/** Resource types that take tags. */
const TAGGED = new Set([
  ...['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::SNS::Topic', 'AWS::Logs::LogGroup'],
  ...['AWS::Lambda::Function', 'AWS::Lambda::EventSourceMapping', 'AWS::Events::Rule', 'AWS::IAM::Role'],
  ...['AWS::StepFunctions::StateMachine', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'],
]);

/** Resources with the stage's tags on all that take them. */
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
