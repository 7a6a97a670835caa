import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/model/compile/define-graph.ts';
import { edge, node } from '../../src/model/schema.ts';
import { checkShares } from '../../src/stack/check-machine.ts';
import { PARAMETER_NAMES, type Parameters, readParameters } from '../../src/stack/parameters.ts';
import { stack } from '../../src/stack/stack.ts';
import { PARAMETERS } from '../support/stack/parameters.ts';
import { specificationProblems } from '../support/stack/specification.ts';

/** The stack of other models and parameters than those of this project. */

const graph = defineGraph({
  table: { name: 'follows', partitionKey: 'pk', sortKey: 'sk', ttl: 'gone', indexes: { gsi0: 'byTarget' } },
  nodes: { USER: node() },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', inbound: { gsi0: 'since' } }) },
});

const made = (more: Partial<Parameters> = {}) => stack(graph, 'own-test', { ...PARAMETERS, ...more }).Resources;

describe('a stack follows the model', () => {
  it('in the names of table, keys and TTL, and has no index that the model does not need', () => {
    expect(made()['RecordsTable']!.Properties).toMatchObject({
      TableName: 'own-test-follows',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [{ IndexName: 'byTarget' }],
      TimeToLiveSpecification: { AttributeName: 'gone' },
    });
    expect(made()['RecordsTable']!.Properties['GlobalSecondaryIndexes']).toHaveLength(1);
  });
  it('in the indexes that roles and policies name', () => {
    for (const id of ['RedriveRole', 'ProducerPolicy', 'ReaderPolicy']) {
      const text = JSON.stringify(made()[id]);
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
      expect(text).toContain('${RecordsTable.Arn}/index/byTarget');
      expect(text).not.toContain('gsi');
    }
  });
});

describe('the parameters', () => {
  it('name a topic of their own, or mail the one of the stack', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:operations';
    const other = made({ alarmTopicArn });
    expect(other).not.toHaveProperty('AlarmTopic');
    expect(other['DriftAlarm']!.Properties['AlarmActions']).toEqual([alarmTopicArn]);
    const mailed = made({ alarmEmail: 'operations@example.org' })['AlarmTopic']!;
    expect(mailed.Properties['Subscription']).toEqual([{ Protocol: 'email', Endpoint: 'operations@example.org' }]);
    expect(specificationProblems({ Resources: { mailed } } as never)).toEqual([]);
  });
  it('turn the schedule of the check off', () => {
    expect(made({ checkEnabled: false })['CheckSchedule']!.Properties['State']).toBe('DISABLED');
  });
  it('let the check write only where it is to repair', () => {
    const writes = (checkRepair: boolean): string[] | null =>
      JSON.stringify(made({ checkRepair })['CheckRole']).match(/dynamodb:(Put|Update|Delete|BatchWrite)\w+/g);
    expect(writes(false)).toBeNull();
    expect(writes(true)).toEqual(['dynamodb:DeleteItem', 'dynamodb:UpdateItem']);
    expect(checkShares({ ...PARAMETERS, checkRepair: true }).every(({ repair }) => repair)).toBe(true);
  });
  it('deal segments out evenly where they do not divide', () => {
    expect(checkShares(PARAMETERS).map(({ onlySegments }) => onlySegments)).toEqual([
      [0, 3, 6, 9],
      [1, 4, 7],
      [2, 5, 8],
    ]);
  });
  it('may be text, as they are on a command line', () => {
    const text = Object.fromEntries(Object.entries(PARAMETERS).map(([name, value]) => [name, String(value)]));
    expect(readParameters(text)).toEqual(PARAMETERS);
    expect(PARAMETER_NAMES.sort()).toEqual(Object.keys(PARAMETERS).sort());
  });
  it('are refused by name where they make no sense', () => {
    const wrong = { ...PARAMETERS, retries: -1, recordAgeSeconds: 86_401, checkRepair: 'maybe', alarmEmail: 'nobody' };
    expect(() => readParameters(wrong)).toThrow(/retries:.*recordAgeSeconds:.*checkRepair:.*alarmEmail:/);
    expect(() => readParameters({ ...PARAMETERS, checkWorkers: 11 })).toThrow(/checkWorkers: should not be above/);
  });
});
