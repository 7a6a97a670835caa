import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A template as CloudFormation gets it. */
export interface Template {
  Resources: Record<string, TemplateResource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** A resource of it. Properties are whatever they are. */
export interface TemplateResource {
  Type: string;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into all kinds of resources
  Properties: Record<string, any>;
}

/** The template in a folder of packaged artefacts, with its intrinsic functions; default: of the stage prod. */
export function rawTemplate(folder: string = inject('packages').prod): Template {
  return JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8')) as Template;
}

/** A template as if CloudFormation had filled in names and ARNs; default: of the stage prod. */
export function template(raw: Template = rawTemplate()): Template {
  return new Resolver(raw).value(raw) as Template;
}

/** A statement of a policy. */
export interface PolicyStatement {
  Effect: string;
  Principal?: { Service: string } | '*';
  Action: string | string[];
  Resource: string | string[];
  Condition?: unknown;
}

const PSEUDO: Record<string, string> = {
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::StackId': 'arn:aws:cloudformation:eu-central-1:123456789012:stack/edgeloom/1',
  'AWS::StackName': 'edgeloom',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The property that names a resource of a type; others are named by their logical ids. */
const NAMES: Record<string, [service: string, property: string, arnBefore: string]> = {
  'AWS::DynamoDB::Table': ['dynamodb', 'TableName', 'table/'],
  'AWS::Lambda::Function': ['lambda', 'FunctionName', 'function:'],
  'AWS::SQS::Queue': ['sqs', 'QueueName', ''],
  'AWS::SNS::Topic': ['sns', 'TopicName', ''],
  'AWS::StepFunctions::StateMachine': ['states', 'StateMachineName', 'stateMachine:'],
  'AWS::S3::Bucket': ['s3', 'BucketName', ''],
  'AWS::Logs::LogGroup': ['logs', 'LogGroupName', 'log-group:'],
  'AWS::Lambda::Alias': ['lambda', 'Name', 'function:'],
  'AWS::IAM::ManagedPolicy': ['iam', 'ManagedPolicyName', 'policy/'],
  'AWS::Events::Rule': ['events', 'Name', 'rule/'],
};

/** Fills in what CloudFormation would. Throws for whatever it does not know: nothing is resolved by chance. */
class Resolver {
  constructor(private readonly raw: Template) {}

  value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.value(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    if (entries.length === 1) {
      const [name, argument] = entries[0]!;
      if (name === 'Ref') return this.ref(argument as string);
      if (name === 'Fn::GetAtt') return this.attribute(...(argument as [string, string]));
      if (name === 'Fn::Join') return this.join(argument as [string, unknown[]]);
      if (name === 'Fn::Sub') return this.sub(argument as string | [string, Record<string, unknown>]);
      if (name.startsWith('Fn::')) throw new Error(`the test does not know ${name}`);
    }
    return Object.fromEntries(entries.map(([name, one]) => [name, this.value(one)]));
  }

  private ref(id: string): string {
    if (id in PSEUDO) return PSEUDO[id]!;
    const { Type } = this.resource(id);
    if (Type === 'AWS::SQS::Queue') return `https://sqs.eu-central-1.amazonaws.com/123456789012/${this.name(id)}`;
    if (
      ['AWS::SNS::Topic', 'AWS::StepFunctions::StateMachine', 'AWS::IAM::ManagedPolicy', 'AWS::Lambda::Alias'].includes(
        Type,
      )
    ) {
      return this.attribute(id, 'Arn');
    }
    return this.name(id);
  }

  private attribute(id: string, name: string): string {
    const { Type } = this.resource(id);
    if (name === 'QueueName') return this.name(id);
    if (name === 'Version') return '1';
    if (name === 'StreamArn') return `${this.attribute(id, 'Arn')}/stream/2026-01-01T00:00:00.000`;
    if (name !== 'Arn') throw new Error(`the test does not know the attribute ${name} of ${id}`);
    const [service, , before] = NAMES[Type] ?? [];
    if (service === 's3') return `arn:aws:s3:::${this.name(id)}`;
    if (service === 'iam' || Type === 'AWS::IAM::Role') {
      return `arn:aws:iam::123456789012:${before ?? 'role/'}${this.name(id)}`;
    }
    if (service === undefined) throw new Error(`the test does not know the ARN of ${id}, ${Type}`);
    // CloudFormation gives the ARN of a log group with all of its streams.
    const after = service === 'logs' ? ':*' : '';
    return `arn:aws:${service}:eu-central-1:123456789012:${before}${this.name(id)}${after}`;
  }

  private name(id: string): string {
    const { Type, Properties } = this.resource(id);
    const property = NAMES[Type]?.[1];
    return property === undefined || Properties[property] === undefined ? id : String(this.value(Properties[property]));
  }

  private join([separator, parts]: [string, unknown[]]): string {
    return parts.map((part) => String(this.value(part))).join(separator);
  }

  private sub(argument: string | [string, Record<string, unknown>]): string {
    const [text, values] = typeof argument === 'string' ? [argument, {}] : argument;
    return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => {
      if (name in values) return String(this.value(values[name]));
      const [id, attribute] = name.split('.') as [string, string?];
      return attribute === undefined ? this.ref(id) : this.attribute(id, attribute);
    });
  }

  private resource(id: string): TemplateResource {
    const resource = this.raw.Resources[id];
    if (resource === undefined) throw new Error(`the template has no ${id}`);
    return resource;
  }
}
