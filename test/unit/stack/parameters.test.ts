import { describe, expect, it } from 'vitest';
import { readParameters } from '../../../src/deployment/stack/base/parameters.ts';

/** Parameters that CloudFormation would refuse in the middle of a deployment. */

const wrong = (values: object, region?: string) => () =>
  readParameters({ stage: 'prod', values: { ...values }, region });

describe('the schedule of the check', () => {
  it.each([...['cron(0 2 * * ? *)', 'cron(0/15 8-17 ? * MON-FRI *)', 'rate(1 day)', 'rate(12 hours)']])(
    'may be %s',
    (checkSchedule) => {
      expect(readParameters({ stage: 'prod', values: { checkSchedule } })).toMatchObject({ checkSchedule });
    },
  );
  it.each([
    ...['cron(nonsense)', 'cron(0 2 * * *)', 'cron(0 2 * * * *)', 'cron(0 2 ? * ? *)'],
    ...['rate(1 days)', 'rate(2 day)', 'rate(0 hours)', 'rate(often)', 'every night'],
  ])('is not %s', (checkSchedule) => {
    expect(wrong({ checkSchedule })).toThrow(/checkSchedule: should be rate/);
  });
});

it('a mistake about all parameters names none', () => {
  expect(wrong({ noParameter: 1 })).toThrow(/^These parameters of the stack are wrong: Unrecognized key/);
});

describe('tags', () => {
  it.each([
    ['aws:x=1', /tags: should have names .* without aws:/],
    ['AWS:x=1', /tags: should have names .* without aws:/],
    ['team<=1', /tags: should have names/],
    [`${'n'.repeat(129)}=1`, /tags: should have names/],
    ['team=graph;42', /tags: should have values/],
    [`team=${'v'.repeat(257)}`, /tags: should have values/],
    [Array.from({ length: 51 }, (_, i) => `t${i}=1`).join(), /tags: should be 50 at most/],
  ])('are not %s', (tags, message) => {
    expect(wrong({ tags })).toThrow(message);
  });
  it('may have letters of any language, spaces and signs, as a text and as an object', () => {
    const tags = { 'Größe der Gruppe': 'a/b_c.d:e+f-g@h=i', empty: '' };
    expect(readParameters({ stage: 'prod', values: { tags } }).tags).toEqual(tags);
    const text = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
    expect(readParameters({ stage: 'prod', values: { tags: text.join() } }).tags).toEqual(tags);
  });
});

describe('things of other regions', () => {
  const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
  const existing = { existingTableArn: TABLE, existingStreamArn: `${TABLE}/stream/2026-01-01T00:00:00.000` };
  const alarmTopicArn = 'arn:aws:sns:us-east-1:123456789012:alarms';

  it('are refused where the region of the stack is known', () => {
    expect(wrong({ alarmTopicArn }, 'eu-central-1')).toThrow(
      /alarmTopicArn: is in us-east-1, and should be in eu-central-1, the region of the stack/,
    );
    expect(wrong({ kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1' }, 'eu-central-1')).toThrow(
      /kmsKeyArn: is in/,
    );
    expect(readParameters({ stage: 'prod', values: { alarmTopicArn }, region: 'us-east-1' })).toMatchObject({
      alarmTopicArn,
    });
  });
  it('are refused where the table is in another region than they are', () => {
    expect(wrong({ ...existing, alarmTopicArn })).toThrow(/alarmTopicArn: is in us-east-1.*that of existingTableArn/);
  });
  it('are not looked for in the ARNs of local engines, and of services without regions', () => {
    const local = 'arn:aws:dynamodb:local:000000000000:table/x';
    const values = { existingTableArn: local, existingStreamArn: `${local}/stream/1` };
    const permissionsBoundaryArn = 'arn:aws:iam::123456789012:policy/boundary';
    expect(
      readParameters({ stage: 'prod', values: { ...values, permissionsBoundaryArn }, region: 'eu-central-1' }),
    ).toMatchObject(values);
  });
});

describe('numbers', () => {
  it.each(['', ' ', 'many', '0x10', true, null])('are not %j, which another reading takes for one', (value) => {
    expect(wrong({ retries: value })).toThrow(/retries: /);
  });
  it('may be texts of digits', () => {
    expect(readParameters({ stage: 'prod', values: { retries: '7' } })).toMatchObject({ retries: 7 });
  });
});

describe('lists', () => {
  it('may be texts with commas and spaces, and accounts may be numbers, as YAML reads them', () => {
    const producerAccounts = ['111122223333', '444455556666'];
    for (const given of ['111122223333, 444455556666', producerAccounts, [111122223333, ' 444455556666 ']])
      expect(readParameters({ stage: 'prod', values: { producerAccounts: given } })).toMatchObject({
        producerAccounts,
      });
    expect(readParameters({ stage: 'prod', values: { producerAccounts: 111122223333 } })).toMatchObject({
      producerAccounts: ['111122223333'],
    });
    const ofVpc = { vpcSubnetIds: ' subnet-1, subnet-2 ', vpcSecurityGroupIds: 'sg-1 ,' };
    const lists = { vpcSubnetIds: ['subnet-1', 'subnet-2'], vpcSecurityGroupIds: ['sg-1'] };
    expect(readParameters({ stage: 'prod', values: ofVpc })).toMatchObject(lists);
    expect(readParameters({ stage: 'prod', values: { producerAccounts: '' } })).toMatchObject({ producerAccounts: [] });
  });
  it('are of nothing else', () => {
    expect(wrong({ producerAccounts: 42 })).toThrow(
      /producerAccounts: should be numbers of accounts, of twelve digits/,
    );
    expect(wrong({ producerAccounts: true })).toThrow(/producerAccounts\.0: should be a text/);
    expect(wrong({ vpcSubnetIds: [{}] })).toThrow(/vpcSubnetIds\.0: should be a text/);
  });
});

describe('names of things', () => {
  it.each([
    ['kmsKeyArn', 'arn:aws:kms:eu-central-1:123456789012:alias/edgeloom', /kmsKeyArn: should be the ARN of a key/],
    ['alarmTopicArn', 'arn:aws:sns:eu-central-1:123456789012:alarms.fifo', /alarmTopicArn: .* standard topic/],
    ['alarmTopicArn', 'arn:aws:sns:eu-central-1:123456789012:alarms:1-2-3', /alarmTopicArn: .* standard topic/],
    ['permissionsBoundaryArn', 'arn:aws:iam::123456789012:role/boundary', /permissionsBoundaryArn: .* a policy/],
    ['vpcSubnetIds', 'vpc-1', /vpcSubnetIds: should be ids such as subnet-/],
    ['vpcSecurityGroupIds', 'subnet-1', /vpcSecurityGroupIds: should be ids such as sg-/],
  ])('of another kind are refused: %s=%s', (name, value, message) => {
    expect(wrong({ [name]: value })).toThrow(message);
  });
  it('that only begin as the table does are of another one', () => {
    const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/legacy';
    const existingStreamArn = `${TABLE}2/stream/2026-01-01T00:00:00.000`;
    expect(wrong({ existingTableArn: TABLE, existingStreamArn })).toThrow(
      /existingStreamArn: should be a stream of existingTableArn/,
    );
  });
});
