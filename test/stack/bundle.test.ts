import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { expectWithin } from '../support/bound.ts';
import { listening } from '../support/local-server.ts';
import { loadFunction } from '../support/stack/functions.ts';

/** Of a call that found or wrote nothing. */
const ANSWER = JSON.stringify({ ConsumedCapacity: { CapacityUnits: 1 } });
const BATCH_ANSWER = JSON.stringify({ Responses: { records: [] }, ConsumedCapacity: [{ CapacityUnits: 1 }] });
const MEGABYTE = 1024 * 1024;
/** The redrive function reads a queue's batches from a stream or a bucket, and sends what is left of one: three clients more. */
const MOST = { stream: MEGABYTE, check: MEGABYTE, rebuild: MEGABYTE, redrive: 1.1 * MEGABYTE };

describe.each(['stream', 'check', 'rebuild', 'redrive'] as const)('the packaged function %s', (name) => {
  const module = `handlers/${name === 'rebuild' ? 'check' : name}.mjs`;

  const files = () => unzipSync(readFileSync(join(inject('packages').prod, `${name}.zip`)));

  it('has a megabyte of code at most, all of it files of its own, with their source maps', () => {
    const paths = Object.keys(files());
    const code = paths.filter((path) => path.endsWith('.mjs'));
    expect(paths.sort()).toEqual(code.flatMap((path) => [path, `${path}.map`]).sort());
    expect(code).toContain(module);
    expect(code.filter((path) => !path.startsWith(module.replace('mjs', '')))).toEqual([]);
    const bytes = code.map((path) => files()[path]!.length).reduce((sum, length) => sum + length);
    expectWithin(`bytes of the function ${name}`, bytes, MOST[name]);
    // Names and lines alone: the sources themselves stay at home.
    const map = JSON.parse(Buffer.from(files()[`${module}.map`]!).toString('utf8')) as { sources: string[] };
    expect(map).not.toHaveProperty('sourcesContent');
    expect(map.sources.some((source) => source.endsWith(module.replace('.mjs', '.ts')))).toBe(true);
  });
  it('imports nothing but what Node has and what lies beside it', () => {
    const found = importsIn(files(), module, { onDemand: true });
    expect(found.external.length).toBeGreaterThan(0);
    expect(found.external.filter((specifier) => !isBuiltin(specifier))).toEqual([]);
    const code = Object.keys(files()).filter((path) => path.endsWith('.mjs'));
    expect([...found.files].sort()).toEqual(code.sort());
  });
  it('starts with its environment, and says what is wrong with another', async () => {
    expect(await loadFunction(name, { EDGELOOM_TABLE: 'records', AWS_REGION: 'eu-central-1' })).toBeTypeOf('function');
    await expect(loadFunction(name, { EDGELOOM_LOG_LEVEL: 'loud' })).rejects.toMatchObject({
      code: 'invalid-environment',
      message: expect.stringMatching(/EDGELOOM_TABLE.*EDGELOOM_LOG_LEVEL/),
    });
  });
});

/** The code that a function reads at its start: its bytes, and the sources that it was made of. */
function readAtStart(name: string, module: string): { bytes: number; sources: string[] } {
  const files = unzipSync(readFileSync(join(inject('packages').prod, `${name}.zip`)));
  const read = [...importsIn(files, module, { onDemand: false }).files];
  const sources = read.flatMap((path) => {
    const map = JSON.parse(Buffer.from(files[`${path}.map`]!).toString('utf8')) as { sources: string[] };
    return map.sources;
  });
  return { bytes: read.reduce((sum, path) => sum + files[path]!.length, 0), sources };
}

describe('what a packaged function reads at its start', () => {
  const stream = () => readAtStart('stream', 'handlers/stream.mjs');

  it('is 435 KB of code at most for the stream function', () => {
    expectWithin('bytes of the stream function at its start', stream().bytes, 435_000);
  });
  it.each(['check', 'redrive'])('is at most a fifth more for the function %s', (name) => {
    expect(readAtStart(name, `handlers/${name}.mjs`).bytes).toBeLessThanOrEqual(1.2 * stream().bytes);
  });
  it.each(['stream', 'check', 'redrive'])('has nothing of the SDK for the function %s', (name) => {
    const { sources } = readAtStart(name, `handlers/${name}.mjs`);
    expect(sources.filter((source) => /node_modules\/@(aws-sdk|smithy)\//.test(source))).toEqual([]);
  });
});

describe('the packaged function stream, whose files of the SDK are gone', () => {
  it('projects all the same: with credentials, region and endpoint it needs none of them', async () => {
    const calls: string[] = [];
    const server = createServer((request, response) => {
      const call = String(request.headers['x-amz-target']);
      calls.push(call);
      request.resume().on('end', () => response.end(call.endsWith('.BatchGetItem') ? BATCH_ANSWER : ANSWER));
    });
    const { endpoint, stop } = await listening(server);
    onTestFinished(stop);
    const environment = {
      ...{ EDGELOOM_TABLE: 'records', EDGELOOM_LOG_LEVEL: 'silent', AWS_REGION: 'eu-central-1' },
      ...{ AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' },
      AWS_ENDPOINT_URL: endpoint,
    };
    const handler = await loadFunction('stream', environment, { without: /^handlers\/stream\.sdk/ });
    const key = { source: { S: 'GOAL-1' }, target: { S: 'GOAL-1' } };
    const record = {
      eventName: 'INSERT',
      eventSourceARN: 'arn:aws:dynamodb:eu-central-1:1:table/records/stream/2026-01-01T00:00:00.000',
      dynamodb: { Keys: key, NewImage: { ...key, title: { S: 'One' } }, SequenceNumber: '100' },
    };
    const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 30_000 };
    expect(await handler({ Records: [record] }, context)).toEqual({ batchItemFailures: [] });
    expect(calls).toContain('DynamoDB_20120810.UpdateItem');
  });
});

/** The files that a module of a package imports, at once or also on demand, and what else they import. */
function importsIn(
  files: Record<string, Uint8Array>,
  module: string,
  { onDemand }: { onDemand: boolean },
): { files: Set<string>; external: string[] } {
  const reached = new Set([module]);
  const external: string[] = [];
  const statement = /(?:^|[;}])(?:import|export)[^"'();]*?["']([^"']+)["']/gm;
  const expression = /\bimport\(["'](\.[^"']+)["']\)/g;
  for (const path of reached) {
    const text = Buffer.from(files[path]!).toString('utf8');
    for (const [, specifier] of [...text.matchAll(statement), ...(onDemand ? text.matchAll(expression) : [])]) {
      if (specifier!.startsWith('.')) reached.add(posix.join(posix.dirname(path), specifier!));
      else external.push(specifier!);
    }
  }
  return { files: reached, external };
}
