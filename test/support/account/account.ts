import type { TemplateResource } from '../stack/template.ts';

/** A thing of the account, with its properties as they are now. */
export interface Thing {
  type: string;
  name: string;
  properties: TemplateResource['Properties'];
  /** Whether a stack manages it. */
  isManaged: boolean;
  /** Objects of a bucket. */
  objects: number;
  /** Versions of the stream of a table, which has another ARN each time that it is switched on. */
  stream: number;
}

/** What the simulator of stacks meets outside of itself; the engine of a test makes real tables. */
export interface Outside {
  made?: (thing: Thing) => Promise<void>;
  changed?: (thing: Thing, before: TemplateResource['Properties']) => Promise<void>;
  deleted?: (thing: Thing) => Promise<void>;
}

/** The property that names a thing; CloudFormation names those of other types itself. */
const NAME_OF: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::Events::Rule': 'Name',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
};

/** A thing's own name, where its template gives it one. */
export function fixedName({ Type, Properties }: TemplateResource): string | undefined {
  const property = NAME_OF[Type];
  return property === undefined ? undefined : (Properties[property] as string | undefined);
}

/** What an account has, whoever made it. Names are unique in a type, protected tables and filled buckets refuse to go. */
export class Account {
  readonly #things = new Map<string, Thing>();
  #unnamed = 0;
  /** Names of things that AWS refuses to make: what makes a deployment fail. */
  readonly refused = new Set<string>();
  /** Keys of code that fails at each call: a gradual deployment of it is taken back. */
  readonly failing = new Set<string>();

  constructor(private readonly outside: Outside = {}) {}

  find(type: string, name: string): Thing | undefined {
    return this.#things.get(`${type} ${name}`);
  }

  all(type: string): Thing[] {
    return [...this.#things.values()].filter((thing) => thing.type === type);
  }

  /** Makes a thing; throws where there is one of the name. */
  async make(
    type: string,
    name: string | undefined,
    properties: Thing['properties'],
    isManaged: boolean,
  ): Promise<Thing> {
    this.#unnamed += 1;
    const own = name ?? `made-${this.#unnamed}`;
    if (this.refused.has(own)) throw new Error(`${type} ${own}: AWS refused to make it`);
    if (this.find(type, own) !== undefined) throw new Error(`${type} ${own} already exists`);
    const thing: Thing = { type, name: own, properties, isManaged, objects: 0, stream: 1 };
    await this.outside.made?.(thing);
    this.#things.set(`${type} ${own}`, thing);
    return thing;
  }

  /** Changes a thing. DynamoDB makes or deletes one index in an update. */
  async change(thing: Thing, properties: Thing['properties']): Promise<void> {
    if (thing.type === 'AWS::DynamoDB::Table') {
      const changed = difference(indexesOf(thing.properties), indexesOf(properties));
      if (changed.length > 1) {
        throw new Error(`${thing.name}: Cannot perform more than one GSI creation or deletion in a single update`);
      }
    }
    const before = thing.properties;
    thing.properties = properties;
    await this.outside.changed?.(thing, before);
  }

  /** Deletes a thing; throws where it is protected or not empty. */
  async delete(thing: Thing): Promise<void> {
    if (thing.type === 'AWS::DynamoDB::Table' && thing.properties['DeletionProtectionEnabled'] === true) {
      throw new Error(`${thing.name}: Resource cannot be deleted as it is currently protected against deletion`);
    }
    if (thing.objects > 0) throw new Error(`${thing.name}: The bucket you tried to delete is not empty`);
    await this.outside.deleted?.(thing);
    this.#things.delete(`${thing.type} ${thing.name}`);
  }
}

function indexesOf(properties: Thing['properties']): string[] {
  return ((properties['GlobalSecondaryIndexes'] ?? []) as { IndexName: string }[]).map(({ IndexName }) => IndexName);
}

function difference(left: readonly string[], right: readonly string[]): string[] {
  return [...left.filter((one) => !right.includes(one)), ...right.filter((one) => !left.includes(one))];
}
