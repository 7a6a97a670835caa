import { type KeyNames, keyAttributeNames } from './keys.ts';
import { Index, Table } from './memory-table.ts';
import { invalid, Refusal } from './refusal.ts';
import type { StreamView } from './stream.ts';

export type Input = Record<string, unknown>;

interface KeyElement {
  AttributeName: string;
  KeyType: 'HASH' | 'RANGE';
}

interface IndexInput {
  IndexName: string;
  KeySchema: KeyElement[];
  Projection?: { ProjectionType?: string; NonKeyAttributes?: string[] };
}

interface StreamInput {
  StreamEnabled?: boolean;
  StreamViewType?: StreamView;
}

export class Tables {
  private readonly byName = new Map<string, Table>();
  /** By ARN. Includes streams that are switched off. */
  private readonly withStreams = new Map<string, Table['stream'] & object>();

  findTable(name: unknown): Table {
    const table = this.byName.get(tableNameOf(name));
    if (table === undefined)
      throw new Refusal('ResourceNotFoundException', `Cannot do operations on a non-existent table: ${String(name)}`);
    return table;
  }

  findStream(arn: unknown) {
    const stream = this.withStreams.get(String(arn));
    if (stream === undefined)
      throw new Refusal('ResourceNotFoundException', `Requested resource not found: Stream: ${String(arn)} not found`);
    return stream;
  }

  allStreams() {
    return [...this.withStreams.values()];
  }

  streamsOf(name: string) {
    const start = `arn:aws:dynamodb:local:000000000000:table/${name}/stream/`;
    return this.allStreams().filter(({ arn }) => arn.startsWith(start));
  }

  create(input: Input) {
    const name = tableNameOf(input['TableName']);
    if (!/^[\w.-]{3,255}$/.test(name))
      throw invalid(`TableName must be at least 3 characters long and at most 255 characters long: ${name}`);
    if (this.byName.has(name)) throw new Refusal('ResourceInUseException', `Table already exists: ${name}`);
    const keys = keyNamesOf(input['KeySchema'] as KeyElement[] | undefined);
    const { TableName: _, ...settings } = input;
    const table = new Table(name, keys, attributeTypesOf(input), settings);
    checkTypes(table, keys);
    for (const [list, isLocal] of [
      ['GlobalSecondaryIndexes', false],
      ['LocalSecondaryIndexes', true],
    ] as const) {
      for (const index of (input[list] ?? []) as IndexInput[]) addIndex(table, index, isLocal);
    }
    this.byName.set(name, table);
    this.setStream(table, input['StreamSpecification'] as StreamInput | undefined);
    return { TableDescription: describeTable(table) };
  }

  describe(input: Input) {
    return { Table: describeTable(this.findTable(input['TableName'])) };
  }

  delete(input: Input) {
    const table = this.findTable(input['TableName']);
    if (table.settings['DeletionProtectionEnabled'] === true) {
      throw invalid(
        `Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first. Table: ${table.name}`,
      );
    }
    this.byName.delete(table.name);
    table.stream?.close();
    return { TableDescription: { ...describeTable(table), TableStatus: 'DELETING' } };
  }

  update(input: Input) {
    const table = this.findTable(input['TableName']);
    if (input['AttributeDefinitions'] !== undefined) {
      for (const [name, type] of attributeTypesOf(input)) table.types.set(name, type);
    }
    type Change = { Create?: IndexInput; Delete?: { IndexName: string } };
    for (const { Create, Delete } of (input['GlobalSecondaryIndexUpdates'] ?? []) as Change[]) {
      if (Create !== undefined) addIndex(table, Create, false);
      if (Delete === undefined) continue;
      if (!table.indexes.delete(Delete.IndexName)) {
        throw new Refusal(
          'ResourceNotFoundException',
          `Requested resource not found: Index: ${Delete.IndexName} not found`,
        );
      }
    }
    this.setStream(table, input['StreamSpecification'] as StreamInput | undefined);
    for (const name of [
      'BillingMode',
      'DeletionProtectionEnabled',
      'ProvisionedThroughput',
      'OnDemandThroughput',
      'TableClass',
    ]) {
      if (input[name] !== undefined) table.settings[name] = input[name];
    }
    return { TableDescription: describeTable(table) };
  }

  list({ ExclusiveStartTableName: start, Limit = 100 }: Input) {
    const names = [...this.byName.keys()].sort().filter((name) => start === undefined || name > (start as string));
    const page = names.slice(0, Limit as number);
    return { TableNames: page, ...(page.length < names.length && { LastEvaluatedTableName: page.at(-1) }) };
  }

  updateTtl(input: Input) {
    const table = this.findTable(input['TableName']);
    const { Enabled, AttributeName } = input['TimeToLiveSpecification'] as { Enabled: boolean; AttributeName: string };
    if (Enabled === (table.ttl !== undefined))
      throw invalid(`TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`);
    table.ttl = Enabled ? AttributeName : undefined;
    return { TimeToLiveSpecification: { Enabled, AttributeName } };
  }

  describeTtl(input: Input) {
    const { ttl } = this.findTable(input['TableName']);
    return {
      TimeToLiveDescription:
        ttl === undefined ? { TimeToLiveStatus: 'DISABLED' } : { TimeToLiveStatus: 'ENABLED', AttributeName: ttl },
    };
  }

  private setStream(table: Table, stream: StreamInput | undefined): void {
    if (stream === undefined) return;
    if (stream.StreamEnabled !== true) {
      table.stream?.close();
      table.stream = undefined;
      return;
    }
    if (table.stream !== undefined) throw invalid(`Table already has an enabled stream: TableName: ${table.name}`);
    const opened = table.openStream(stream.StreamViewType ?? 'NEW_AND_OLD_IMAGES');
    this.withStreams.set(opened.arn, opened);
  }
}

function tableNameOf(name: unknown): string {
  // A call may give a table's ARN as its name.
  return String(name).replace(/^arn:[^/]+:table\//, '');
}

function keyNamesOf(schema: KeyElement[] | undefined): KeyNames {
  const partition = schema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
  if (partition === undefined)
    throw invalid('No Hash Key specified in schema. All Dynamo DB tables must have exactly one hash key');
  return { partition, sort: schema!.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName };
}

function attributeTypesOf(input: Input): Map<string, string> {
  const definitions = (input['AttributeDefinitions'] ?? []) as { AttributeName: string; AttributeType: string }[];
  return new Map(definitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
}

function checkTypes(table: Table, keys: KeyNames): void {
  const missing = keyAttributeNames(keys).find((name) => !table.types.has(name));
  if (missing !== undefined) {
    throw invalid(
      `One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [${missing}]`,
    );
  }
}

function addIndex(table: Table, input: IndexInput, isLocal: boolean): void {
  const { IndexName: name, KeySchema, Projection = {} } = input;
  if (table.indexes.has(name)) throw invalid(`Attempting to create an index which already exists: ${name}`);
  const keys = keyNamesOf(KeySchema);
  checkTypes(table, keys);
  const { ProjectionType: type = 'ALL', NonKeyAttributes = [] } = Projection;
  const included = type === 'ALL' ? undefined : type === 'INCLUDE' ? NonKeyAttributes : [];
  table.addIndex(new Index({ name, keys, tableKeys: table.keys, isLocal, definition: { ...input }, included }));
}

function describeTable(table: Table) {
  const { settings, stream } = table;
  const indexes = [...table.indexes.values()];
  const describeIndexes = (isLocal: boolean) =>
    indexes
      .filter((index) => index.settings.isLocal === isLocal)
      .map((index) => ({
        ...index.settings.definition,
        ...(!isLocal && { IndexStatus: 'ACTIVE' }),
        IndexArn: `${table.arn}/index/${index.name}`,
        ItemCount: 0,
        IndexSizeBytes: 0,
      }));
  const [global, local] = [describeIndexes(false), describeIndexes(true)];
  return {
    TableName: table.name,
    TableArn: table.arn,
    TableId: table.id,
    TableStatus: 'ACTIVE',
    CreationDateTime: table.createdMs / 1000,
    KeySchema: settings['KeySchema'],
    AttributeDefinitions: [...table.types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    ItemCount: table.items,
    TableSizeBytes: table.bytes,
    DeletionProtectionEnabled: settings['DeletionProtectionEnabled'] === true,
    BillingModeSummary: { BillingMode: settings['BillingMode'] ?? 'PROVISIONED' },
    ProvisionedThroughput: settings['ProvisionedThroughput'] ?? { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(stream !== undefined && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream.view },
      LatestStreamArn: stream.arn,
      LatestStreamLabel: stream.label,
    }),
  };
}
